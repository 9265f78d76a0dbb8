# For Homebrew's core: without FUSE, since packages there must not need macFUSE. All commands but mounting work,
# including `plainfs serve`. From a clone: brew install --HEAD scripts/packaging/homebrew/plainfs.rb. A release adds
# homepage, url and sha256. Never built by Homebrew yet.
class Plainfs < Formula
  desc "Scientific stores (AnnData, Seurat, Zarr, HDF5, BPCells) as plain files"
  license "MIT"
  head "file://#{File.expand_path("../../..", __dir__)}", using: :git, branch: "main"

  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "boost"
  depends_on "c-blosc"
  depends_on "fmt"
  depends_on "hdf5"
  depends_on "isa-l"
  depends_on "libdeflate"
  depends_on "lz4"
  depends_on "openssl@3"
  depends_on "spdlog"
  depends_on "xz"
  depends_on "zfp"
  depends_on "zstd"

  uses_from_macos "bzip2"
  uses_from_macos "curl"
  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DPLAINFS_FUSE=OFF", "-DPLAINFS_TESTS=OFF", "-DPLAINFS_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "plainfs"
    system "cmake", "--install", "build"
    pkgshare.install "tests/data/samples/matrix"
  end

  test do
    assert_match "matrix.mtx", shell_output("#{bin}/plainfs ls #{pkgshare}/matrix")
    assert_match "MatrixMarket", shell_output("#{bin}/plainfs cat #{pkgshare}/matrix matrix.mtx")
  end
end
