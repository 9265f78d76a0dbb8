# Functions that make random R objects, for objects.R: kinds$plain, kinds$seurat and kinds$experiment.
one <- function(x) x[[sample.int(length(x), 1)]]
maybe <- function(p = 0.5) runif(1) < p
some <- function(most = 40) sample.int(most, 1)

word <- function() {
  paste(sample(c(letters, LETTERS, " ", ",", "\"", "\u00e9", "\u4e2d", "1"), some(8), TRUE), collapse = "")
}

words <- function(n) replicate(n, word())
unique_words <- function(n) make.unique(paste0("n", sample.int(99, n, TRUE)))

with_na <- function(x) {
  if (maybe()) x[sample.int(length(x), max(1, length(x) %/% 8))] <- NA
  x
}

numbers <- function(n) {
  candidates <- list(
    rnorm(n),
    round(runif(n, -1e6, 1e6)),
    rexp(n) * 10^sample(-300:300, n, TRUE),
    c(NaN, Inf, -Inf, 0, -0.1)[sample.int(5, n, TRUE)]
  )
  with_na(one(candidates))
}

# Mixes an infinity or NaN into some numbers.
with_odd <- function(x) {
  if (maybe(0.2)) x[sample.int(length(x), 1)] <- one(c(Inf, -Inf, NaN))
  x
}

text <- function(n) {
  x <- with_na(words(n))
  if (maybe(0.2)) x[1] <- "NA"
  x
}

atoms <- list(
  logical = function(n) with_na(sample(c(TRUE, FALSE), n, TRUE)),
  integer = function(n) with_na(sample(-.Machine$integer.max:.Machine$integer.max, n, TRUE)),
  double = numbers,
  character = text,
  raw = function(n) as.raw(sample(0:255, n, TRUE)),
  sequence = function(n) seq_len(n) + 0L,
  real_sequence = function(n) as.double(seq_len(n)),
  deferred = function(n) as.character(seq_len(n)),
  deferred_real = function(n) as.character(with_na(round(runif(n) * 10^sample(-3:8, n, TRUE), one(0:6)))),
  date = function(n) with_na(as.Date(with_odd(sample(-20000:40000, n, TRUE)), "1970-01-01")),
  time = function(n) {
    with_na(as.POSIXct(with_odd(sample(-1e9:2e9, n, TRUE)), "1970-01-01", tz = one(c("UTC", "Europe/Berlin"))))
  },
  span = function(n) with_na(as.difftime(with_odd(round(runif(n, 0, 1e4))), units = one(c("secs", "days")))),
  factor = function(n) factor(with_na(sample(c("a", "b,c", "\u00fc"), n, TRUE)), ordered = maybe(0.3))
)

atom <- function(n = some()) one(atoms)(n)
without_class <- function(n) atoms[[sample(c("logical", "integer", "double", "character"), 1)]](n)

named_vector <- function() {
  x <- atom()
  if (maybe(0.3)) names(x) <- unique_words(length(x))
  x
}

long_vector <- function() one(list(numbers(30000), words(12000), seq_len(50000)))

random_matrix <- function() {
  rows <- some(12)
  columns <- some(6)
  x <- matrix(without_class(rows * columns), rows, columns)
  if (maybe()) dimnames(x) <- list(if (maybe()) unique_words(rows), if (maybe()) unique_words(columns))
  x
}

random_array <- function() array(without_class(24), c(2, 3, 4))

factor_matrix <- function() {
  rows <- some(5)
  columns <- some(4)
  x <- factor(with_na(sample(c("a", "b,c", "\u00fc"), rows * columns, TRUE)))
  dim(x) <- c(rows, columns)
  if (maybe()) dimnames(x) <- list(unique_words(rows), unique_words(columns))
  x
}

random_frame <- function(rows = some(), columns = some(5)) {
  values <- setNames(lapply(seq_len(columns), function(i) atom(rows)), unique_words(columns))
  x <- as.data.frame(values, stringsAsFactors = FALSE, optional = TRUE)
  if (maybe(0.2)) x$broken_down <- as.POSIXlt(with_na(as.POSIXct(sample(2e9, rows, TRUE), "1970-01-01", tz = "UTC")))
  if (maybe(0.2)) x$several <- lapply(seq_len(rows), seq_len)
  if (maybe()) row.names(x) <- unique_words(rows)
  x
}

column_matrix <- function(rows = some(30), columns = some(12)) {
  m <- rsparsematrix(rows, columns, 0.3)
  if (maybe()) m@x <- abs(round(m@x)) + 1
  if (maybe(0.7)) dimnames(m) <- list(unique_words(rows), unique_words(columns))
  m
}

sparse_matrix <- function() {
  kinds <- list(
    column_matrix,
    function() as(column_matrix(), "RsparseMatrix"),
    function() as(column_matrix(), "TsparseMatrix"),
    function() as(column_matrix(), "lMatrix"),
    function() as(column_matrix(), "nMatrix"),
    function() forceSymmetric(rsparsematrix(8, 8, 0.3), one(c("U", "L"))),
    function() triu(rsparsematrix(7, 7, 0.4)),
    function() Diagonal(some(6))
  )
  one(kinds)()
}

not_data <- function() one(list(function(x) x, quote(a + b), globalenv(), y ~ x, sum, NULL))

random_list <- function(depth = 0) {
  n <- some(5)
  x <- lapply(seq_len(n), function(i) if (maybe(0.15)) not_data() else any_object(depth + 1))
  if (maybe(0.8)) names(x) <- ifelse(runif(n) < 0.1, "", sample(letters[1:6], n, TRUE))
  x
}

setClass("Holder", slots = c(a = "ANY", b = "ANY", f = "ANY"))
holder <- function(depth = 0) new("Holder", a = any_object(depth + 1), b = any_object(depth + 1), f = not_data())

# Returns an environment of random objects, hashed or not, which may contain itself.
random_environment <- function(depth = 0) {
  x <- random_list(depth)
  names(x) <- unique_words(length(x))
  made <- list2env(x, new.env(hash = maybe()))
  if (maybe(0.3)) assign("itself", made, made)
  made
}

# Returns a function, saved before the environment that it shares with the list.
function_with_environment <- function(depth = 0) {
  variables <- random_environment(depth)
  list(f = local(function() 1, variables), variables = variables)
}

Account <- setRefClass("Account", fields = list(owner = "ANY", balance = "numeric"),
                       methods = list(pay = function() balance))
reference_object <- function(depth = 0) {
  x <- Account$new(owner = any_object(depth + 1), balance = numbers(some(5)))
  if (maybe()) x$pay()
  x
}

any_object <- function(depth = 0) {
  kinds <- list(named_vector, named_vector, random_matrix, random_frame, sparse_matrix, random_array, factor_matrix)
  deep <- list(random_list, holder, random_environment, function_with_environment, reference_object)
  if (depth < 3) kinds <- c(kinds, lapply(deep, function(make) function() make(depth)))
  one(kinds)()
}

seurat_object <- function() {
  cells <- 10 + some(20)
  genes <- 10 + some(30)
  ones <- rsparsematrix(genes, cells, 0.05, rand.x = function(n) rep(1, n))
  m <- abs(round(rsparsematrix(genes, cells, 0.4) * 3)) + ones
  dimnames(m) <- list(paste0("Gene", seq_len(genes)), paste0("CELL", seq_len(cells)))
  x <- SeuratObject::CreateSeuratObject(as(m, "dgCMatrix"))
  x <- Seurat::NormalizeData(x, verbose = FALSE)
  for (i in seq_len(some(4))) x@meta.data[[paste0("extra", i)]] <- atom(cells)
  embeddings <- matrix(rnorm(cells * 3), cells, dimnames = list(colnames(x), paste0("PC_", 1:3)))
  x[["pca"]] <- SeuratObject::CreateDimReducObject(embeddings, key = "PC_", assay = "RNA")
  x
}

experiment <- function() {
  cells <- some(20)
  genes <- some(20)
  m <- rsparsematrix(genes, cells, 0.4)
  dimnames(m) <- list(paste0("g", seq_len(genes)), paste0("c", seq_len(cells)))
  about <- random_frame(cells)[, 1, drop = FALSE]
  rownames(about) <- colnames(m)
  x <- SingleCellExperiment::SingleCellExperiment(list(counts = m, dense = as.matrix(m) * 2), colData = about)
  SingleCellExperiment::reducedDim(x, "PCA") <- matrix(rnorm(cells * 2), cells)
  x
}

kinds <- list(
  plain = list(
    named_vector, long_vector, random_matrix, random_array, random_frame, sparse_matrix, factor_matrix,
    random_list, random_list, holder, function() list(deep = list(long = long_vector())),
    random_environment, function_with_environment, reference_object
  ),
  seurat = list(seurat_object),
  experiment = list(experiment)
)

has_no_data <- function(x) is.null(x) || is.function(x) || is.language(x) || identical(x, globalenv())

random_root <- function(makers, i) {
  x <- makers[[(i - 1) %% length(makers) + 1]]()
  while (is.list(x) && !is.data.frame(x) && all(vapply(x, has_no_data, TRUE))) x <- random_list()
  x
}

save_object <- function(x, file) {
  # The text form and version 2 hold the same data, except for the digits of doubles and for ALTREP.
  forms <- list(
    list(), list(compress = "bzip2"), list(compress = "xz"), list(compress = FALSE), list(version = 2),
    list(ascii = NA, compress = FALSE)
  )
  do.call(saveRDS, c(list(x, file), one(forms)))
}
