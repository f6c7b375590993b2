import { expect, it } from 'vitest'
import { readReason, reasonOf, receivedReason, writeReason } from './reasons.ts'

it('comes back from a column as it was written', () => {
  const reason = reasonOf('delivery', 'nowhere', { host: 'hooks.example "{code}"' })
  expect(readReason('delivery', writeReason(reason))).toEqual(reason)
  expect(readReason('merge', writeReason(reasonOf('merge', 'damaged')))).toEqual({ code: 'damaged', params: {} })
})

it('keeps the words of a row that an earlier version wrote, and reads nothing out of them', () => {
  for (const words of ['HTTP 503', 'connection refused', '{host} does not resolve to an address'])
    expect(readReason('delivery', words)).toEqual({ code: 'unknown', params: { text: words } })
  expect([readReason('delivery', ''), readReason('delivery', null)]).toEqual([undefined, undefined])
})

it('tells a code of another version by its name', () => {
  expect(receivedReason('merge', { code: 'eclipse', params: { moon: 'full' } })).toEqual({
    code: 'unknown',
    params: { text: 'eclipse' },
  })
  expect(receivedReason('merge', { code: 'constructor', params: {} }).code).toBe('unknown')
})

it('bounds what varies, so that a reason fits into its column', () => {
  const { length } = writeReason(reasonOf('delivery', 'thisComputer', { host: 'a'.repeat(2000) }))
  expect(length).toBeLessThanOrEqual(256)
})
