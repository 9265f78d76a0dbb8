# Spatial objects in the layout of Seurat 4 and SpatialExperiment, and the files made from them as Seurat reads them.
#   spatial.R make FOLDER          writes the objects and their coordinates
#   spatial.R draw OBJECT PICTURE  draws a feature and the identities over each image of a Seurat object
#   spatial.R print OBJECT         prints the images of a Seurat object: cells, coordinates, pixels, factors
suppressMessages(library(Seurat))

n_cells <- 6
cells <- paste0("c", seq_len(n_cells))
across <- c(30, 90, 150, 30, 90, 150)
down <- c(20, 20, 20, 100, 100, 100)
pixels <- array(seq(0, 1, length.out = 12 * 18 * 3), c(12, 18, 3))

counts <- function() {
  set.seed(62)
  matrix(rpois(4 * n_cells, 4), 4, dimnames = list(paste0("g", 1:4), cells))
}

plain_object <- function() {
  suppressWarnings(CreateSeuratObject(Matrix::Matrix(counts(), sparse = TRUE)))
}

visium <- function(of = seq_len(n_cells)) {
  new(
    "VisiumV1",
    image = pixels,
    scale.factors = scalefactors(spot = 10, fiducial = 12, hires = 0.5, lowres = 0.1),
    coordinates = data.frame(
      tissue = 1L, row = seq_along(of), col = seq_along(of), imagerow = down[of],
      imagecol = across[of], row.names = cells[of]
    ),
    spot.radius = 0.02, assay = "RNA", key = "slice1_"
  )
}

# Two slices, and a cell on neither of them.
make_visium <- function() {
  object <- plain_object()
  object@images <- list(slice1 = visium(1:3), slice2 = visium(5:4))
  object@images$slice2@key <- "slice2_"
  object
}

make_slideseq <- function() {
  object <- plain_object()
  beads <- data.frame(a = across, b = down, row.names = cells)[n_cells:1, ]
  object@images <- list(puck = new("SlideSeq", coordinates = beads, assay = "RNA", key = "puck_"))
  object
}

make_fov <- function() {
  object <- plain_object()
  places <- data.frame(x = across, y = down, cell = cells)
  molecules <- data.frame(x = across, y = down, gene = "g1")
  object[["fov"]] <- CreateFOV(
    list(centroids = CreateCentroids(places)),
    molecules = molecules, assay = "RNA"
  )
  object
}

# Outlines alone: the squares around the cells.
make_outlines <- function() {
  object <- plain_object()
  corner <- function(dx, dy) data.frame(x = across + dx, y = down + dy, cell = cells)
  outlines <- rbind(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1))
  object[["fov"]] <- CreateFOV(
    list(segmentation = CreateSegmentation(outlines[order(outlines$cell), ])),
    assay = "RNA"
  )
  object
}

# The class of Seurat 5, which Seurat 4 lacks. Its x ran downwards before a slot defined the direction.
make_visium_v2 <- function(orientation = NULL) {
  slots <- c(
    image = "array", scale.factors = "scalefactors", boundaries = "list", molecules = "list",
    assay = "character", key = "character"
  )
  if (!is.null(orientation)) slots <- c(slots, coords_x_orientation = "character")
  setClass("VisiumV2", slots = slots)
  sides <- if (is.null(orientation)) list(x = down, y = across) else list(x = across, y = down)
  centroids <- CreateCentroids(data.frame(sides, cell = cells))
  image <- new(
    "VisiumV2",
    boundaries = list(centroids = centroids), molecules = list(), assay = "RNA", key = "slice1_",
    image = pixels, scale.factors = scalefactors(spot = 10, fiducial = 12, hires = 0.5, lowres = 0.1)
  )
  if (!is.null(orientation)) image@coords_x_orientation <- orientation
  object <- plain_object()
  object@images <- list(slice1 = image)
  object
}

# Debian does not package SpatialExperiment. Its class adds no slot to that of SingleCellExperiment.
make_experiment <- function(folder) {
  suppressMessages({
    library(SingleCellExperiment)
    setClass("SpatialExperiment", contains = "SingleCellExperiment")
    setClass("VirtualSpatialImage", contains = c("VIRTUAL", "Annotated"))
    setClass("LoadedSpatialImage", contains = "VirtualSpatialImage", slots = c(image = "ANY"))
    setClass("StoredSpatialImage", contains = "VirtualSpatialImage", slots = c(path = "character"))
  })
  object <- new("SpatialExperiment", SingleCellExperiment(list(counts = counts())))
  object$sample_id <- rep(c("s1", "s2"), c(4, 2))
  object$in_tissue <- TRUE
  object$array_row <- seq_len(n_cells)
  places <- cbind(pxl_col_in_fullres = across, pxl_row_in_fullres = down)
  rownames(places) <- cells
  int_colData(object)$spatialCoords <- places
  file.copy(system.file("img", "Rlogo.png", package = "png"), file.path(folder, "logo.png"))
  pictures <- I(list(
    new("LoadedSpatialImage", image = as.raster(pixels)),
    new("StoredSpatialImage", path = file.path(folder, "logo.png"))
  ))
  int_metadata(object)$imgData <- DataFrame(
    sample_id = c("s1", "s2"), image_id = c("lowres", "hires"), data = pictures, scaleFactor = c(0.1, 0.5)
  )
  object
}

# Debian does not package monocle3. Its class adds slots to that of SingleCellExperiment.
make_trajectory <- function() {
  suppressMessages(library(SingleCellExperiment))
  slots <- c(principal_graph = "SimpleList", principal_graph_aux = "SimpleList", clusters = "SimpleList")
  setClass("cell_data_set", contains = "SingleCellExperiment", slots = slots)
  edges <- data.frame(from = c("Y_1", "Y_2"), to = c("Y_2", "Y_3"), weight = c(0.5, 0.25))
  named <- function(values) structure(values, names = cells)
  object <- new("cell_data_set", SingleCellExperiment(list(counts = counts())))
  object@principal_graph <- SimpleList(UMAP = igraph::graph_from_data_frame(edges, directed = FALSE))
  object@principal_graph_aux <- SimpleList(list(UMAP = list(pseudotime = named(c(0, 1.5, Inf, 3, 4, 5)))))
  object@clusters <- SimpleList(list(UMAP = list(clusters = named(factor(c(1, 1, 2, 2, 3, 3))))))
  colPair(object, "knn") <- SelfHits(1:2, 2:3, n_cells, x = c(0.5, 1))
  rowPair(object, "near") <- SelfHits(1, 4, 4, x = 7)
  object
}

make <- function(folder) {
  save_as <- function(object, name) saveRDS(object, file.path(folder, paste0(name, ".rds")))
  save_as(make_visium(), "visium")
  save_as(make_slideseq(), "slideseq")
  save_as(make_fov(), "fov")
  save_as(make_outlines(), "outlines")
  save_as(make_experiment(folder), "experiment")
  save_as(make_trajectory(), "trajectory")
  save_as(make_visium_v2(), "visium_v2_old")
  save_as(make_visium_v2("horizontal"), "visium_v2")
  places <- data.frame(x = across, y = down, row.names = cells)
  write.csv(places, file.path(folder, "places.csv"), quote = FALSE)
}

draw <- function(object, picture) {
  png(picture, 900, 900)
  print(SpatialFeaturePlot(object, rownames(object)[1]))
  print(SpatialDimPlot(object))
  invisible(dev.off())
}

print_images <- function(object) {
  stopifnot(validObject(object))
  for (name in Images(object)) {
    image <- object@images[[name]]
    cat(name, class(image), Key(image), DefaultAssay(image), image@spot.radius, "\n")
    cat(dim(image@image), range(image@image), sum(image@image), "\n")
    cat(unlist(image@scale.factors), "\n")
    print(image@coordinates)
  }
}

arguments <- commandArgs(TRUE)
switch(arguments[1],
  make = make(arguments[2]),
  draw = draw(readRDS(arguments[2]), arguments[3]),
  print = print_images(readRDS(arguments[2]))
)
