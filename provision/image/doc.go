// Package image makes and keeps golden images: the disk that every node's
// overlay is backed by, with the kernel and the initramfs that start it.
//
// An image is a function of its inputs: Debian packages pinned by image.lock,
// Go modules pinned by the .sum files in modules/, the files in recipe/ and
// guest/, and this package's Format. Its identity is the hash of those inputs,
// so an image that is in the cache never has to be made again, and two machines
// that agree on the identity agree on the content.
//
// Everything that can be kept between two builds is kept under the hash of what
// it was made from: a build that was interrupted goes on where it stopped.
package image
