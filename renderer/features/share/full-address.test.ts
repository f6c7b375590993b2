import { expect, it } from 'vitest'
import { fullAddress } from './full-address.ts'

it.each([
  ['live.example.com', 'https://live.example.com'],
  ['live.example.com:8443', 'https://live.example.com:8443'],
  ['http://live.example.com', 'http://live.example.com'],
  ['https://live.example.com/tv', 'https://live.example.com/tv'],
  ['', ''],
  // One word is no name of a host on the internet.
  ['site', 'site'],
])('of %j is %j', (text, address) => {
  expect(fullAddress(text)).toBe(address)
})
