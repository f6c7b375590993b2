import fastify from 'fastify'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { WatchState } from '../../contract/watch.ts'
import { openEntry } from '../access/testing/open-entry.ts'
import { watchRoutes, type WatchOptions } from './watch-routes.ts'

const cid = 'a'.repeat(32)
const clock = manualClock()

/** What the page is told of a channel that is on air since `since`. */
async function stateOf(since: number | undefined, isSilent: boolean): Promise<WatchState> {
  const server = fastify()
  const options: Partial<WatchOptions> = {
    clock,
    channel: () => ({ uid: 1, name: 'show', disabled: false, since }),
    isSilent: () => isSilent,
    room: () => undefined,
    appKey: () => undefined,
    viewers: () => 0,
    newest: () => ({ timestamp: 80, sent: 1000, delay: 500 }),
    entry: openEntry,
  }
  await server.register(watchRoutes(options as WatchOptions))
  const answer = await server.inject({ url: `/watch/${cid}/state` })
  await server.close()
  return answer.json<WatchState>()
}

it('tells viewers that the encoder on air sends nothing, and of none that is not on air', async () => {
  expect(await stateOf(clock.now(), true)).toMatchObject({ live: true, silent: true })
  expect(await stateOf(clock.now(), false)).not.toHaveProperty('silent')
  const over = await stateOf(undefined, true)
  expect(over).toMatchObject({ live: false })
  expect(over).not.toHaveProperty('silent')
})

it('tells viewers what the newest picture is and how late it was sent, while there is one', async () => {
  expect(await stateOf(clock.now(), false)).toMatchObject({ newest: { timestamp: 80, sent: 1000, delay: 500 } })
  expect(await stateOf(undefined, false)).not.toHaveProperty('newest')
})
