/** Hashes of styles that the page's kit makes at run time, written by the build. */
interface PagePolicy {
  /** Such as `sha256-…`, without quotes. */
  readonly styles: readonly string[]
}

const source = /^sha256-[A-Za-z0-9+/]{43}=$/

/** Reads csp.json; throws for a damaged one, so that no looser policy is served. */
export function readPagePolicy(raw: unknown): PagePolicy {
  const styles = typeof raw === 'object' && raw !== null && 'styles' in raw ? raw.styles : undefined
  if (
    !Array.isArray(styles) ||
    !styles.every((one): one is string => typeof one === 'string' && source.test(one)) ||
    styles.length > 32
  )
    throw new Error('csp.json is damaged')
  return { styles }
}

/** The page's Content-Security-Policy: its own origin, `blob:` media, and the worker of hls.js. */
function contentSecurityPolicy(page: PagePolicy): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${page.styles.map((one) => ` '${one}'`).join('')}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Headers of every answer to the page. */
export const pageHeaders = (policy: PagePolicy): Record<string, string> => ({
  'content-security-policy': contentSecurityPolicy(policy),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy':
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), display-capture=()',
})
