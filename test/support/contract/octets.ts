/** /pub/a.bin of the servers' seed: every octet, 16 times. */
export const everyOctet: Uint8Array = Uint8Array.from({ length: 4096 }, (_, index) => index % 256)
