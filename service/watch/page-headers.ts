/** The page may run its own scripts, connect to its listener and the link, and play media as blobs. */
const policy = (connects: readonly string[], ancestors: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    ["connect-src 'self'", ...new Set(connects.map((url) => new URL(url).origin))].join(' '),
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors.length > 0 ? ancestors.join(' ') : "'none'"}`,
    "require-trusted-types-for 'script'",
  ].join('; ')
/** Headers of the watch page, which also connects to these addresses; for frames of `ancestors`. */
export const pageHeaders = (connects: readonly string[] = [], ancestors: readonly string[] = []) => ({
  'content-security-policy': policy(connects, ancestors),
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
})
