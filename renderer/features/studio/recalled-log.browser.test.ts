import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { PushTurn } from '../../../contract/rpc/health.ts'
import { useCompanion } from '../../data/companion.ts'
import { spoken } from '../../format/languages.ts'
import { makeTarget } from '../../testing/fake-targets.ts'
import { began, channel, mounted } from '../../testing/mounted.ts'
import StudioView from './studio-view.vue'
import { logWords } from './words-log.ts'

const one = channel(1, { status: 1 })
const { log: words } = spoken(logWords, 'en')

it('the log of a page that was loaded or connected again has what the companion kept', async () => {
  const turn = (at: number, kind: PushTurn['kind'], detail: string | null = null): PushTurn => ({
    at: began + at,
    kind,
    detail,
    remedy: null,
  })
  const turns = [
    turn(-90_000, 'started'),
    turn(-60_000, 'held'),
    turn(-56_000, 'holdEnded', '4'),
    turn(-40_000, 'targetRemoved', '1'),
  ]
  const { lose, pinia } = await mounted(StudioView, {
    channels: [one],
    path: `/studio/${one.cid}`,
    answers: {
      'push.card': () => ({ server: 'rtmp://host/live', keyStart: 'abcd', keyEnd: '4812', expires: null }),
      'preview.open': () => ({ flv: null, hls: null }),
      'rooms.chat': () => ({ on: false, roomid: null, people: 0 }),
      'rooms.linked': () => ({ roomid: null }),
      'rooms.list': () => ({ complete: true, rooms: [], next: null }),
      'recordings.state': () => null,
      'recordings.list': () => ({ files: [] }),
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      'targets.list': () => ({ targets: [makeTarget(1)], needs: 0, budget: 0, waiting: 0 }),
      'health.recent': () => ({ samples: [], turns: [...turns] }),
    },
  })
  const log = page.getByRole('list', { name: words.title })
  await expect.element(log).toMatchTextContent(words.held)
  for (const said of [words.started, words.holdEnded.replace('{detail}', '4'), 'Twitch removed'])
    await expect.element(log).toMatchTextContent(said)
  await lose()
  turns.push(turn(-10_000, 'heldByHand'))
  useCompanion(pinia).lineIs('open')
  await expect.element(log).toMatchTextContent(words.heldByHand)
})
