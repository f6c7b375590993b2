import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import { createLastActions } from './last-actions.ts'

/** Deeds whose writes a test lets succeed or fail. */
function stage() {
  const clock = manualClock()
  const written: Record<string, string | null>[] = []
  const logged: string[] = []
  let isFull = false
  const actions = createLastActions(
    clock,
    (all) => {
      written.push(Object.fromEntries([...all].map(([seat, { lastAction }]) => [seat, lastAction])))
      return isFull ? Promise.reject(new Error('no space')) : Promise.resolve()
    },
    (line) => void logged.push(line),
  )
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { clock, written, logged, actions, settle, fill: (full: boolean) => (isFull = full) }
}

it('writes what all seats did last together, five seconds after the first deed', async () => {
  const { clock, written, actions, settle } = stage()
  actions.did('mei', 'mute')
  clock.advance(3_000)
  actions.did('rob', 'say')
  actions.did('mei', 'blacklist')
  expect(actions.of('mei')).toEqual({ lastAt: clock.now(), lastAction: 'blacklist' })
  clock.advance(1_999)
  expect(written).toEqual([])
  clock.advance(1)
  expect(written).toEqual([{ mei: 'blacklist', rob: 'say' }])
  await settle()
  expect([actions.of('mei'), clock.waiting()]).toEqual([undefined, 0])
  clock.advance(60_000)
  expect(written).toHaveLength(1)
})

it('keeps what was done during a write for the next one', async () => {
  const { clock, written, actions, settle } = stage()
  actions.did('mei', 'mute')
  clock.advance(5_000)
  actions.did('mei', 'say')
  await settle()
  expect(actions.of('mei')?.lastAction).toBe('say')
  clock.advance(5_000)
  expect(written.at(-1)).toEqual({ mei: 'say' })
})

it('writes what could not be written with the next deed', async () => {
  const { clock, written, logged, actions, settle, fill } = stage()
  fill(true)
  actions.did('mei', 'mute')
  clock.advance(5_000)
  await settle()
  expect([actions.of('mei')?.lastAction, logged.length]).toEqual(['mute', 1])
  fill(false)
  actions.did('rob', 'say')
  clock.advance(5_000)
  expect(written.at(-1)).toEqual({ mei: 'mute', rob: 'say' })
})

it('writes nothing of a seat whose newer deed was written by itself, and cuts what is too long', () => {
  const { clock, written, actions } = stage()
  actions.did('mei', 'mute')
  actions.overtaken('mei')
  expect(actions.of('mei')).toBeUndefined()
  actions.did('rob', 'x'.repeat(100))
  clock.advance(5_000)
  expect(written).toEqual([{ rob: 'x'.repeat(64) }])
})

it('writes what is left at the end, and nothing where nothing is', () => {
  const { clock, written, actions } = stage()
  actions.close()
  expect(written).toEqual([])
  actions.did('mei', 'mute')
  actions.close()
  expect([written, clock.waiting()]).toEqual([[{ mei: 'mute' }], 0])
})
