// Graphs: nodes with what they do and what they come after; an executable one is their list in an order that fits.
#include <algorithm>
#include <map>

#include "../include/ks/launch.h"
#include "errors.h"
#include "streams.h"

using ks::record;
using ks::sticky;

struct CUgraphExec_st {
  struct Step {
    CUgraphNode_st* from;
    cudaGraphNodeType type;
    ks::Action action;
  };
  std::vector<Step> steps;
  std::vector<std::shared_ptr<void>> memory;
};

namespace {

/** The nodes, each behind those it comes after, else as they were added; fewer than there are if some form a circle. */
std::vector<CUgraphNode_st*> ordered(const CUgraph_st& graph) {
  std::vector<CUgraphNode_st*> order;
  std::map<const CUgraphNode_st*, bool> done;
  for (size_t before = size_t(-1); before != order.size();) {
    before = order.size();
    for (const auto& node : graph.nodes) {
      const auto isDone = [&](const CUgraphNode_st* n) { return done[n]; };
      if (done[node.get()] || !std::all_of(node->after.begin(), node->after.end(), isDone)) continue;
      done[node.get()] = true;
      order.push_back(node.get());
    }
  }
  return order;
}

cudaError_t add(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                cudaGraphNodeType type, ks::Action action) {
  if (sticky()) return sticky();
  if (!node || !graph || (n && !after)) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < n; ++i) {
    if (!after[i] || after[i]->graph != graph) return record(cudaErrorInvalidValue);
  }
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  *node = graph->nodes.back().get();
  **node = {graph, type, std::move(action), std::vector<CUgraphNode_st*>(after, after + n)};
  return cudaSuccess;
}

/** What a node of these parameters does; arguments are copied now. */
cudaError_t kernel_action(const cudaKernelNodeParams* p, ks::Action& action) {
  if (!p || !p->func || p->extra) return cudaErrorInvalidValue;
  const ks::LaunchRecorder recorder(action);
  return cudaLaunchKernel(static_cast<const void*>(p->func), p->gridDim, p->blockDim, p->kernelParams,
                          p->sharedMemBytes);
}
cudaError_t memset_action(const cudaMemsetParams* p, ks::Action& action) {
  if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)) return cudaErrorInvalidValue;
  action = [m = *p] {
    if (m.elementSize == 1) return cudaMemset2D(m.dst, m.pitch, int(m.value), m.width, m.height);
    // An element at a time: setting its bytes alone would repeat the lowest one.
    for (size_t row = 0; row < m.height; ++row) {
      char* at = static_cast<char*>(m.dst) + row * m.pitch;
      for (size_t i = 0; i < m.width; ++i) {
        const cudaError_t error = cudaMemcpy(at + i * m.elementSize, &m.value, m.elementSize, cudaMemcpyDefault);
        if (error) return error;
      }
    }
    return cudaSuccess;
  };
  return cudaSuccess;
}
ks::Action copy_action(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return [=] { return cudaMemcpy(to, from, bytes, kind); };
}
cudaError_t host_action(const cudaHostNodeParams* p, ks::Action& action) {
  if (!p || !p->fn) return cudaErrorInvalidValue;
  action = [h = *p] {
    h.fn(h.userData);
    return cudaSuccess;
  };
  return cudaSuccess;
}

cudaError_t run(const std::vector<ks::Action>& actions) {
  for (const ks::Action& action : actions) {
    if (!action) continue;
    if (cudaError_t error = action()) return error;
  }
  return cudaSuccess;
}
std::vector<ks::Action> actions_of(const std::vector<CUgraphNode_st*>& nodes) {
  std::vector<ks::Action> actions;
  for (const CUgraphNode_st* node : nodes) actions.push_back(node->action);
  return actions;
}

cudaError_t set(cudaGraphNode_t node, cudaGraphNodeType type, cudaError_t made, ks::Action action) {
  if (made || !node || node->type != type) return record(made ? made : cudaErrorInvalidValue);
  node->action = std::move(action);
  return cudaSuccess;
}
cudaError_t set(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type, cudaError_t made,
                ks::Action action) {
  if (made || !exec) return record(made ? made : cudaErrorInvalidValue);
  for (CUgraphExec_st::Step& step : exec->steps) {
    if (step.from != node || step.type != type) continue;
    step.action = std::move(action);
    return cudaSuccess;
  }
  return record(cudaErrorInvalidValue);
}

/** Copies up to *n of `all` to `out`, or only counts where there is no `out`. */
template <class T>
cudaError_t list(const std::vector<T>& all, T* out, size_t* n) {
  if (!n) return record(cudaErrorInvalidValue);
  for (size_t i = 0; out && i < *n; ++i) out[i] = i < all.size() ? all[i] : T();
  *n = out ? std::min(*n, all.size()) : all.size();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  if (sticky()) return sticky();
  if (!graph || flags) return record(cudaErrorInvalidValue);
  *graph = new CUgraph_st();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (!graph) return record(cudaErrorInvalidValue);
  delete graph;
  return sticky();
}
cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  if (sticky()) return sticky();
  if (!clone || !graph) return record(cudaErrorInvalidValue);
  *clone = new CUgraph_st();
  (*clone)->memory = graph->memory;
  std::map<CUgraphNode_st*, CUgraphNode_st*> copies;
  for (const auto& node : graph->nodes) {
    (*clone)->nodes.push_back(std::make_unique<CUgraphNode_st>(*node));
    copies[node.get()] = (*clone)->nodes.back().get();
  }
  for (const auto& node : (*clone)->nodes) {
    node->graph = *clone;
    for (CUgraphNode_st*& after : node->after) after = copies[after];
  }
  return cudaSuccess;
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                   const cudaKernelNodeParams* p) {
  ks::Action action;
  if (cudaError_t error = kernel_action(p, action)) return record(error);
  return add(node, graph, after, n, cudaGraphNodeTypeKernel, action);
}
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                   const cudaMemcpy3DParms* p) {
  if (!p) return record(cudaErrorInvalidValue);
  return add(node, graph, after, n, cudaGraphNodeTypeMemcpy, [copy = *p] { return cudaMemcpy3D(&copy); });
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                     void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add(node, graph, after, n, cudaGraphNodeTypeMemcpy, copy_action(to, from, bytes, kind));
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                   const cudaMemsetParams* p) {
  ks::Action action;
  if (cudaError_t error = memset_action(p, action)) return record(error);
  return add(node, graph, after, n, cudaGraphNodeTypeMemset, action);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                 const cudaHostNodeParams* p) {
  ks::Action action;
  if (cudaError_t error = host_action(p, action)) return record(error);
  return add(node, graph, after, n, cudaGraphNodeTypeHost, action);
}
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n) {
  return add(node, graph, after, n, cudaGraphNodeTypeEmpty, ks::Action());
}
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                        size_t n, cudaEvent_t event) {
  return add(node, graph, after, n, cudaGraphNodeTypeEventRecord, [event] { return cudaEventRecord(event); });
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                      cudaEvent_t event) {
  return add(node, graph, after, n, cudaGraphNodeTypeWaitEvent, [event] { return cudaEventSynchronize(event); });
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, size_t n,
                                       cudaGraph_t child) {
  if (!child || !graph) return record(cudaErrorInvalidValue);
  const auto actions = actions_of(ordered(*child));
  graph->memory.insert(graph->memory.end(), child->memory.begin(), child->memory.end());
  return add(node, graph, after, n, cudaGraphNodeTypeGraph, [actions] { return run(actions); });
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t n) {
  if (!graph || (n && (!from || !to))) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < n; ++i) {
    if (from[i]->graph != graph || to[i]->graph != graph) return record(cudaErrorInvalidValue);
    to[i]->after.push_back(from[i]);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
  if (!graph) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return list(all, nodes, n);
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* n) {
  if (!graph) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  return list(roots, nodes, n);
}
cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* n) {
  if (!graph || !n) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> heads, tails;
  for (const auto& node : graph->nodes) {
    for (CUgraphNode_st* before : node->after) {
      tails.push_back(before);
      heads.push_back(node.get());
    }
  }
  size_t count = *n;
  list(tails, from, &count);
  return list(heads, to, n);
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (!node || !type) return record(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  if (!node) return record(cudaErrorInvalidValue);
  auto& nodes = node->graph->nodes;
  for (const auto& other : nodes)
    other->after.erase(std::remove(other->after.begin(), other->after.end(), node), other->after.end());
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [node](const auto& n) { return n.get() == node; }));
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* p) {
  ks::Action action;
  const cudaError_t made = kernel_action(p, action);
  return set(node, cudaGraphNodeTypeKernel, made, action);
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return set(node, cudaGraphNodeTypeMemcpy, cudaSuccess, copy_action(to, from, bytes, kind));
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* p) {
  ks::Action action;
  const cudaError_t made = memset_action(p, action);
  return set(node, cudaGraphNodeTypeMemset, made, action);
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* p) {
  ks::Action action;
  const cudaError_t made = host_action(p, action);
  return set(node, cudaGraphNodeTypeHost, made, action);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (sticky()) return sticky();
  if (!exec || !graph) return record(cudaErrorInvalidValue);
  const std::vector<CUgraphNode_st*> order = ordered(*graph);
  if (order.size() != graph->nodes.size()) return record(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st();
  (*exec)->memory = graph->memory;
  for (CUgraphNode_st* node : order) (*exec)->steps.push_back({node, node->type, node->action});
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (!exec) return record(cudaErrorInvalidValue);
  delete exec;
  return sticky();
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (sticky()) return sticky();
  if (!exec) return record(cudaErrorInvalidValue);
  std::vector<ks::Action> actions;
  for (const CUgraphExec_st::Step& step : exec->steps) actions.push_back(step.action);
  return record(ks::in_stream(stream, cudaGraphNodeTypeGraph, [actions, kept = exec->memory] { return run(actions); }));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) { return exec ? sticky() : record(cudaErrorInvalidValue); }
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info) {
  if (sticky()) return sticky();
  if (!exec || !graph || !info) return record(cudaErrorInvalidValue);
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  const std::vector<CUgraphNode_st*> order = ordered(*graph);
  if (order.size() != exec->steps.size()) {
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    return record(cudaErrorGraphExecUpdateFailure);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i]->type == exec->steps[i].type) continue;
    *info = {cudaGraphExecUpdateErrorNodeTypeChanged, order[i], exec->steps[i].from};
    return record(cudaErrorGraphExecUpdateFailure);
  }
  for (size_t i = 0; i < order.size(); ++i) exec->steps[i].action = order[i]->action;
  exec->memory.insert(exec->memory.end(), graph->memory.begin(), graph->memory.end());
  return cudaSuccess;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* p) {
  ks::Action action;
  const cudaError_t made = kernel_action(p, action);
  return set(exec, node, cudaGraphNodeTypeKernel, made, action);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void* to, const void* from,
                                               size_t bytes, cudaMemcpyKind kind) {
  return set(exec, node, cudaGraphNodeTypeMemcpy, cudaSuccess, copy_action(to, from, bytes, kind));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams* p) {
  ks::Action action;
  const cudaError_t made = memset_action(p, action);
  return set(exec, node, cudaGraphNodeTypeMemset, made, action);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams* p) {
  ks::Action action;
  const cudaError_t made = host_action(p, action);
  return set(exec, node, cudaGraphNodeTypeHost, made, action);
}
