import { expect, it } from 'vitest'
import { foundFaults, readFoundFault } from './found-faults.ts'

it.each([
  [`/access/addLink: 631 expires ${foundFaults.past} (now it is 5)`, { parameter: 'expires', kind: 'past' }],
  [`/target/add: 631 url ${foundFaults.ownAddress}`, { parameter: 'url', kind: 'ownAddress' }],
  ['/access/updateLimits: 631 url must be at most 5', { parameter: 'url', kind: 'other' }],
  ['/reach/update: 631 url: "x" is no IP address', { parameter: 'url', kind: 'other' }],
  ['/target/add: 631 a channel has at most 16 targets', undefined],
  [`/target/add: 631 key ${foundFaults.spaces}`, undefined],
  ['/target/add: 631', undefined],
  ['refused by the test', undefined],
])('of %j is %j', (detail, fault) => {
  expect(readFoundFault(detail, ['expires', 'url'])).toEqual(fault)
})
