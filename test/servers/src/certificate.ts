/**
 * A test CA and one server certificate for localhost, 127.0.0.1 and ::1.
 *
 * THESE KEYS ARE PUBLIC AND TRUSTED BY NOBODY: the private key stands below for all to read, and the CA's own key was
 * thrown away after signing. Never put this CA in a trust store; hand it to one client, in one test.
 * Made once with openssl (EC P-256), valid from 2020 to 2120 so that no test dies of its date.
 */

/** The CA certificate, PEM. A client accepts the servers' certificate if it gets this one (`ca`, `--cacert`). */
export const testCa: string = `-----BEGIN CERTIFICATE-----
MIIBkjCCATegAwIBAgIBATAKBggqhkjOPQQDAjAvMS0wKwYDVQQDDCRSZXRyaWV2
ZXIgdGVzdCBDQSwgdHJ1c3RlZCBieSBub2JvZHkwIBcNMjAwMTAxMDAwMDAwWhgP
MjEyMDAxMDEwMDAwMDBaMC8xLTArBgNVBAMMJFJldHJpZXZlciB0ZXN0IENBLCB0
cnVzdGVkIGJ5IG5vYm9keTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNyRYyIu
v/eCUNshI534QkVW29LRMaVpj2GUAHYakmlmlUudWixYWcpeh7oj1PiO2GKawoNH
B+ly3QYKBiHd5OijQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEG
MB0GA1UdDgQWBBQMbgv7HVCLe/gRewVao63eSZGfaTAKBggqhkjOPQQDAgNJADBG
AiEAiFcRKh898XUucEuY+Rvyp1Nw3/CpyIWaKDDWZQSrcPECIQCtBmDS+TmnQaQC
q6bZTXuCHJREEnmvoSrexdbwO8Rspw==
-----END CERTIFICATE-----
`

/** The server certificate, PEM, signed by `testCa`. */
export const testCertificate: string = `-----BEGIN CERTIFICATE-----
MIIB0zCCAXmgAwIBAgIBAjAKBggqhkjOPQQDAjAvMS0wKwYDVQQDDCRSZXRyaWV2
ZXIgdGVzdCBDQSwgdHJ1c3RlZCBieSBub2JvZHkwIBcNMjAwMTAxMDAwMDAwWhgP
MjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABBI12TvMiDz3NmJELEZ+snGWgc158fxfPDyi3Crum5j7
JEL1EgRoNfdaIINrQSCLij2i/FIIuJ1/CaL+0zBlLQijgZ4wgZswLAYDVR0RBCUw
I4IJbG9jYWxob3N0hwR/AAABhxAAAAAAAAAAAAAAAAAAAAABMAkGA1UdEwQCMAAw
CwYDVR0PBAQDAgeAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMB8GA1UdIwQYMBaAFAxu
C/sdUIt7+BF7BVqjrd5JkZ9pMB0GA1UdDgQWBBSjjGwjAw+TeIUhsh73IezwuTAf
GzAKBggqhkjOPQQDAgNIADBFAiEA0x5T2CQTfE/n9ENWXO6+o1iaoLK4kqtJ6k2k
10PVMNYCIAcJCh2PXw6RoG+VxZXd2s8uso3R9FrIqLeowUJqClSk
-----END CERTIFICATE-----
`

/** The private key of `testCertificate`, PEM: public on purpose. */
export const testKey: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNLDfEgOs56GhR0MQ
6V4XUHjaOmdSO40qhblO40cc9HChRANCAAQSNdk7zIg89zZiRCxGfrJxloHNefH8
Xzw8otwq7puY+yRC9RIEaDX3WiCDa0Egi4o9ovxSCLidfwmi/tMwZS0I
-----END PRIVATE KEY-----
`
