// The Mandelbrot set as a picture: a struct with operators, two dim3 in one declaration, values computed in main.
#include <cstdio>
#include <iostream>
#include <vector>
using namespace std;

#define STEPS 64

struct Point {
  float x, y;
  __host__ __device__ Point(float x, float y) : x(x), y(y) {}
  __device__ Point square() const { return Point(x * x - y * y, 2.0f * x * y); }
  __device__ Point operator+(const Point& o) const { return Point(x + o.x, y + o.y); }
};

__device__ int steps_until_far(Point c) {
  Point z(0, 0);
  int n = 0;
  while (n < STEPS && z.x * z.x + z.y * z.y < 4) {
    z = z.square() + c;
    n++;
  }
  return n;
}

__global__ void paint(unsigned char* picture, int width, int height, float left, float top, float step) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  picture[y * width + x] = 255 * steps_until_far(Point(left + x * step, top + y * step)) / STEPS;
}

int main(int argc, char** argv) {
  int width = argc > 1 ? atoi(argv[1]) : 640, height = 480;
  vector<unsigned char> picture(width * height);
  unsigned char* d_picture;
  cudaMalloc(&d_picture, picture.size());
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  paint<<<grid, block>>>(d_picture, width, height, -2.0f, -1.2f, 3.0f / width);
  cudaMemcpy(picture.data(), d_picture, picture.size(), cudaMemcpyDeviceToHost);
  cout << int(picture[width * height / 2]) << endl;
  cudaFree(d_picture);
}
