# For a separate tap (like gromgit/fuse): with macFUSE. Its cask contains libfuse 3; run `brew install --cask macfuse`
# first. From a clone: brew install --HEAD scripts/packaging/homebrew/plainfs-mac.rb. A release adds homepage, url and
# sha256. Never built by Homebrew yet.
class PlainfsMac < Formula
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

  on_macos do
    depends_on macos: :ventura
  end

  on_linux do
    depends_on "libfuse"
  end

  conflicts_with "plainfs", because: "both install plainfs"

  def install
    # The cask installs its fuse3.pc in a place that Homebrew does not search.
    ENV.append_path "PKG_CONFIG_PATH", "/usr/local/lib/pkgconfig" if OS.mac?
    system "cmake", "-S", ".", "-B", "build", "-DPLAINFS_FUSE=ON", "-DPLAINFS_TESTS=OFF", "-DPLAINFS_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build", "--target", "plainfs"
    system "cmake", "--install", "build"
    pkgshare.install "tests/data/samples/matrix"
  end

  def caveats
    on_macos do
      <<~EOS
        plainfs needs macFUSE: brew install --cask macfuse, then allow its system extension in System Settings.
      EOS
    end
  end

  test do
    assert_match "matrix.mtx", shell_output("#{bin}/plainfs ls #{pkgshare}/matrix")
    assert_match "MatrixMarket", shell_output("#{bin}/plainfs cat #{pkgshare}/matrix matrix.mtx")
  end
end
