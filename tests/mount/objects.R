# Makes random R objects, saves them, and compares each with the files of a mount of their folder: every value of the
# text and of the .rds files. Arguments: SEED COUNT FOLDER KIND. KIND is plain (vectors, arrays, tables, lists, classes
# and sparse matrices), seurat or experiment; the latter two require Seurat and SingleCellExperiment. Prints "made" and
# waits for a line with the mountpoint. Then prints a line for each difference, and finally the number of compared
# values.
suppressPackageStartupMessages(library(Matrix))
options(warn = -1)
scripts <- dirname(sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(scripts, "random_objects.R"), encoding = "UTF-8")
source(file.path(scripts, "compare_objects.R"), encoding = "UTF-8")

arguments <- commandArgs(TRUE)
set.seed(as.integer(arguments[1]))
count <- as.integer(arguments[2])
folder <- arguments[3]
makers <- kinds[[arguments[4]]]
objects <- lapply(seq_len(count), function(i) {
  x <- random_root(makers, i)
  save_object(x, file.path(folder, sprintf("%03d.rds", i)))
  x
})
cat("made\n")
flush(stdout())

input <- file("stdin", "r")
mountpoint <- readLines(input, 1)
for (i in seq_len(count)) {
  path <- file.path(mountpoint, sprintf("%03d.rds", i))
  x <- objects[[i]]
  tryCatch(check(x, root_of(x, path)), error = function(e) differs(path, conditionMessage(e)))
}
cat("compared", compared, "values of", length(objects), "objects\n")
