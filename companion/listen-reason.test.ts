import { expect, it } from 'vitest'
import { reasonOf } from '../contract/catalogue/reasons.ts'
import { listenReason } from './listen-reason.ts'

it.each([
  ['EADDRINUSE', reasonOf('listener', 'taken', { port: '8720' })],
  ['EACCES', reasonOf('listener', 'denied', { port: '8720' })],
  ['EADDRNOTAVAIL', reasonOf('listener', 'address', { host: '192.0.2.1' })],
  ['ENOTFOUND', reasonOf('listener', 'failed', { system: 'of the system' })],
  [undefined, reasonOf('listener', 'failed', { system: 'of the system' })],
])('says of a listener that failed with %s why', (code, reason) => {
  expect(listenReason(Object.assign(new Error('of the system'), { code }), '192.0.2.1', 8720)).toEqual(reason)
})
