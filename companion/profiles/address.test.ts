import { expect, it } from 'vitest'
import { cutText } from '../../platform/cut-text.ts'
import { failureOf } from '../testing/rig.ts'
import { isLoopbackName, readBaseUrl } from './address.ts'

it.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['[::1]', true],
  ['128.0.0.1', false],
  ['127.evil.example', false],
  ['localhost.evil.example', false],
  ['::2', false],
  ['0.0.0.0', false],
  ['', false],
])('%s is a name of this computer: %s', (host, isHere) => {
  expect(isLoopbackName(host)).toBe(isHere)
})

it.each([
  [' https://live.example/ ', 'https://live.example'],
  ['https://live.example/sub//', 'https://live.example/sub'],
  ['HTTPS://Live.Example:443', 'https://live.example'],
  ['http://127.0.0.1:8710', 'http://127.0.0.1:8710'],
  ['http://localhost:1/a/', 'http://localhost:1/a'],
  ['http://[::1]:1', 'http://[::1]:1'],
])('reads the base address "%s"', (text, read) => {
  expect(readBaseUrl(text)).toBe(read)
})

it.each([
  ['nonsense', 'unreachable', 'not an address: nonsense'],
  ['', 'unreachable', 'not an address: '],
  ['ftp://live.example', 'unreachable', 'the address must begin with https://'],
  ['file:///etc/passwd', 'unreachable', 'the address must begin with https://'],
  ['https://u@live.example', 'unreachable', 'the address must have no user, query or fragment'],
  ['https://:p@live.example', 'unreachable', 'the address must have no user, query or fragment'],
  ['https://live.example/?a=1', 'unreachable', 'the address must have no user, query or fragment'],
  ['https://live.example/#a', 'unreachable', 'the address must have no user, query or fragment'],
  ['http://live.example:80', 'plain', 'live.example: a service beyond this computer needs https://'],
])('refuses "%s" as %s', async (text, kind, detail) => {
  const failure = await failureOf((async () => readBaseUrl(text))())
  expect(failure.kind).toBe(kind)
  expect(failure.detail.startsWith(detail)).toBe(true)
})

it('repeats at most 100 characters of what is no address', () => {
  const long = `x${'y'.repeat(300)}`
  expect(() => readBaseUrl(long)).toThrow(`not an address: ${cutText(long, 100)}`)
})
