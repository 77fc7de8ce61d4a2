// The words that a question must do without. Field terms first; what is also an everyday word is left out.

const words = (list: string): RegExp =>
  new RegExp(
    `\\b(?:${list
      .trim()
      .split(/\s*\n\s*/)
      .join('|')})\\b`,
    'gi',
  );

export const NUMBER_WORDS = words(`
  two
  three
  four
  five
  six
  seven
  eight
  nine
  ten
  sixteen
  thirty-two
  sixty-four
  hundred
  thousand
  million
`);

/** Techniques and the parts of a GPU that name them. */
export const TECHNIQUES = words(`
  (?:double|triple|multi)[- ]?buffer\\w*
  til(?:e|es|ed|ing)
  unroll\\w*
  vectori[sz]\\w*
  coalesc\\w*
  pipelin\\w*
  prefetch\\w*
  fus(?:e|ed|es|ing|ion)
  swizzl\\w*
  padd(?:ing|ed)
  shuffl\\w*
  warp[- ](?:ballot|vote|shuffle)
  split[- ]?k
  stream[- ]?k
  persistent
  grid[- ]stride
  (?:thread|warp|block)[- ](?:coarsen\\w*|specializ\\w*)
  coarsen\\w*
  warp[- ]?speciali[sz]\\w*
  tensor[- ]?cores?
  wgmma
  mma
  ldmatrix
  cp\\.async
  tma
  async(?:hronous)?[- ]cop\\w*
  shared[- ]memory
  constant[- ]memory
  texture[- ]memory
  registers?
  bank[- ]conflicts?
  launch[- ]bounds
  __restrict__
  inlin(?:e|ed|ing)
  intrinsics?
  fast[- ]?math
  fma
  half[- ]precision
  mixed[- ]precision
  bfloat16
  fp(?:8|16|32|64)
  quanti[sz]\\w*
  cooperative[- ]groups?
  block[- ]clusters?
  multicast
  cuda[- ]graphs?
  atomics?
  loop[- ](?:order|interchange|invariant|tiling|fusion)
  strength[- ]reduction
  memoi[sz]\\w*
  lookup[- ]tables?
  transpos\\w*
  im2col
  winograd
  strassen
  fft
  online[- ]softmax
  flash[- ]?attention
  spill(?:s|ed|ing)?
  L[123]
`);

export const LIBRARIES = words(`
  cublas\\w*
  cudnn
  cutlass
  cute
  cub
  thrust
  triton
  tensorrt
  nccl
  cufft
  cusparse
  eigen
  pytorch
  libtorch
  numba
  openmp
`);

/** Measures that stand in for time. */
export const PROXIES = words(`
  occupancy
  utili[sz]ation
  throughput
  bandwidth
  hit[- ]rates?
  ipc
  flops?
  flop\\/s
  stalls?
  arithmetic[- ]intensity
  warp[- ]efficiency
  parallelism
`);

/** Things that some kernels have and others do not. */
export const KERNEL_WORDS = words(`
  matri(?:x|ces)
  matmul
  gemm
  vectors?
  tensors?
  rows?
  columns?
  softmax
  attention
  convolutions?
  reductions?
  stencils?
  loops?
  heads?
  batch(?:es)?
  channels?
  images?
  pixels?
  filters?
  weights
  tokens?
  sequences?
  queries
  keys?
  masks?
  sums?
  maxim(?:um|a)
  exponentials?
  particles?
  nodes?
  graphs?
  bins?
  partial[- ]results?
`);

/** Turns of phrase that tell somebody what to do, as a command or dressed as a question. */
export const COMMANDS = new RegExp(
  [
    // A command at the start of a sentence, or after "please", "then", "let's", "you could" and their like.
    `(?:(?<=^\\s*|[.!?;:]\\s+|\\b(?:please|then|let's|let us|just)\\s+)|\\b(?:you|we|it)\\s+(?:should|could|can|must|need to|have to|ought to|might)\\s+)` +
      `(?:${'use|try|consider|replace|increase|decrease|reduce|add|remove|move|change|set|put|make|avoid|rewrite|implement|keep|store|load|split|merge|swap|reorder|hoist|cache|batch|switch|start|look|check|think|do'})\\b`,
    `\\b(?:have|did|has) (?:you|we|anyone|anybody|it)(?: ever)? (?:tried|try|considered|consider|thought|think)\\b`,
    `\\b(?:why (?:not|don't|do not)|how about|what about|what if|should (?:we|you|it|this|the))\\b`,
  ].join('|'),
  'gi',
);
