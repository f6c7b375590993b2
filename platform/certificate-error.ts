/** Whether an error of TLS is that the other side's certificate was not accepted, by its code. */
export const isCertificateError = (code: string): boolean =>
  /^(?:CERT_|ERR_TLS_CERT|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/.test(code)
