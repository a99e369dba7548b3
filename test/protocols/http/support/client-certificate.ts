/**
 * A certificate for clients, which is its own CA: PUBLIC AND TRUSTED BY NOBODY, as the servers' one in
 * test/servers/src/certificate.ts. Made once with openssl (EC P-256), valid from 2020 to 2120.
 */
export const clientCertificate: string = `-----BEGIN CERTIFICATE-----
MIIBVzCB/qADAgECAgEBMAoGCCqGSM49BAMCMBAxDjAMBgNVBAMMBWFsaWNlMCAX
DTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAQMQ4wDAYDVQQDDAVhbGlj
ZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBK6SpbmywAGlltzrWA2YS4L1lBN
ycy65NKWlimBmGXbLdZKCQdO1jm79cHNCIQFSTtpMKm7SWTdhUSxNXiT7jujRzBF
MA8GA1UdEwEB/wQFMAMBAf8wEwYDVR0lBAwwCgYIKwYBBQUHAwIwHQYDVR0OBBYE
FOW+4SLk3yjLsLAYl2N9rdOWvZyNMAoGCCqGSM49BAMCA0gAMEUCIB5l6wLSnOY4
Tl/DsGXlO5laCe+QhFCuX0xTVg1YJsedAiEAwdefnJ5Odvnf2IpbpqfM54T2QoZo
8qopxEuPDXdmc1k=
-----END CERTIFICATE-----
`

/** Its private key: public on purpose. */
export const clientKey: string = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgS+dYiESL9rYPJlqW
axrzgnx40yd2Bl4bcpspAO9uipChRANCAAQSukqW5ssABpZbc61gNmEuC9ZQTcnM
uuTSlpYpgZhl2y3WSgkHTtY5u/XBzQiEBUk7aTCpu0lk3YVEsTV4k+47
-----END PRIVATE KEY-----
`

/** The same, to be opened by `s3cr3t`. */
export const lockedClientKey: string = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjwemtkee3qHQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIfKRv1svjDf18DPjyWY0oEEgZAY
6a/LtnimGgRh8oA463vQG9ThC1Ox7sKA/q2/akl5BKmkVcPRxB7em0Qkrq5K80G9
RuclGfdQUp/0qERi1FojzhU1vUc5/e7o9LtgNUOXEiKO4X88e3vyZKnBMbMYi4y2
+XmMhG1CRbCVKLMYNCz3mLjgNkj2JF9j5sIjf/bm5dwGn56ZPrcXSTvvbktFME0=
-----END ENCRYPTED PRIVATE KEY-----
`
