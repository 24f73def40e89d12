# Sourced by the scripts beside it, which set `store`: buildah with a storage of its own, in the directory $store.
storage() {
  buildah --root "$store/images" --runroot "$store/run" --storage-driver vfs "$@"
}
