import { expect, it } from 'vitest'
import { linkRequests } from '../../contract/link/frames.ts'
import { isRequestKind, readRequest } from './handlers.ts'

it('kinds of requests are those of the contract, and no names that every object has', () => {
  for (const kind of Object.keys(linkRequests)) expect(isRequestKind(kind), kind).toBe(true)
  for (const kind of ['', 'toString', 'constructor', '__proto__', 'PING', 'ok', 5, undefined, null, ['ping']])
    expect(isRequestKind(kind), String(kind)).toBe(false)
})

it('the members of a request are read with their defaults, and others are left out', () => {
  const login = { appKey: 'key', accid: 'ANN', token: 't', device: 'd', clientType: 'WEB', more: 1 }
  expect(readRequest('login', login)).toEqual({
    ok: true,
    value: { appKey: 'key', accid: 'ann', token: 't', device: 'd', clientType: 'WEB', sdkVersion: '1' },
  })
  expect(readRequest('sync', { after: 5 })).toEqual({ ok: true, value: { after: 5 } })
})

it.each([
  ['a member that is missing', {}],
  ['a number below its range', { after: -1 }],
  ['a text in the place of a number', { after: 'x' }],
])('a request with %s is refused with 414', (_what, members) => {
  expect(readRequest('sync', members)).toMatchObject({ ok: false, refusal: { code: 414 } })
})
