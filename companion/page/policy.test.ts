import { expect, it } from 'vitest'
import { pageHeaders, readPagePolicy } from './policy.ts'

const style = `sha256-${'A'.repeat(43)}=`

it('allows its own origin, the styles named by the build, media from memory and the worker, and nothing else', () => {
  const headers = pageHeaders({ styles: [style, style] })
  expect(headers['content-security-policy']?.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' '${style}' '${style}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ])
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  })
  for (const device of ['camera', 'microphone', 'geolocation', 'display-capture'])
    expect(headers['permissions-policy']).toContain(`${device}=()`)
})

it('throws for a damaged list of styles, so that no looser policy is served', () => {
  expect(readPagePolicy({ styles: [] })).toEqual({ styles: [] })
  expect(readPagePolicy({ styles: Array.from({ length: 32 }, () => style) }).styles).toHaveLength(32)
  for (const raw of [
    null,
    'x',
    {},
    { styles: style },
    { styles: [7] },
    { styles: ["'unsafe-inline'"] },
    { styles: [`${style}' *`] },
    { styles: Array.from({ length: 33 }, () => style) },
  ])
    expect(() => readPagePolicy(raw), JSON.stringify(raw)).toThrow('csp.json is damaged')
})
