import type http from 'node:http'
import { expect, it } from 'vitest'
import { createRequestGuard } from './request-guard.ts'

const guard = (scheme: 'http' | 'https' = 'http') =>
  createRequestGuard({ scheme, names: () => ['127.0.0.1', 'localhost'], port: () => 8712, ownUserOnly: false })
const asked = (headers: http.IncomingHttpHeaders): http.IncomingMessage => ({ headers }) as http.IncomingMessage

it('knows its own hosts by name and port, in any letter case', () => {
  const { isOurHost } = guard()
  for (const host of ['127.0.0.1:8712', 'localhost:8712', 'LocalHost:8712'])
    expect(isOurHost(asked({ host })), host).toBe(true)
  for (const host of [undefined, '', '127.0.0.1', '127.0.0.1:8713', 'evil.example:8712', 'x.localhost:8712'])
    expect(isOurHost(asked({ host })), host).toBe(false)
})

it('takes an origin only with the scheme, name and port that were asked', () => {
  const host = 'localhost:8712'
  expect(guard().isOurOrigin(asked({ host, origin: 'http://localhost:8712' }))).toBe(true)
  expect(guard('https').isOurOrigin(asked({ host, origin: 'https://localhost:8712' }))).toBe(true)
  for (const origin of [undefined, 'null', 'https://localhost:8712', 'http://localhost', 'http://127.0.0.1:8712'])
    expect(guard().isOurOrigin(asked({ host, origin })), origin).toBe(false)
})

it('knows a request of another page by its origin, or by what the browser says of its site', () => {
  const { isElsewhere } = guard()
  const host = 'localhost:8712'
  for (const headers of [
    {},
    { origin: 'http://localhost:8712' },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
  ])
    expect(isElsewhere(asked({ host, ...headers })), JSON.stringify(headers)).toBe(false)
  for (const headers of [
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])
    expect(isElsewhere(asked({ host, ...headers })), JSON.stringify(headers)).toBe(true)
})
