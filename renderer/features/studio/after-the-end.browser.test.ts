import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { broadcastId, makeBroadcast } from '../../testing/broadcast-values.ts'
import { began, channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { broadcastsWords } from '../broadcasts/words.ts'
import StudioView from './studio-view.vue'
import { studioWords } from './words.ts'

const { last: words } = spoken(broadcastsWords, 'en').broadcast
const { log, push } = spoken(studioWords, 'en')
const live = channel(1, { status: 1 })
const made = makeBroadcast(began - 113 * 60_000, live.cid)

it('after a push the Studio says what ended above its cards, which stay for the next one', async () => {
  const { tell, router } = await mounted(StudioView, {
    channels: [live],
    path: `/studio/${live.cid}`,
    answers: {
      'push.card': () => ({ server: 'rtmp://host/live', keyStart: '1111', keyEnd: '4812', expires: null }),
      'preview.open': () => ({ flv: null, hls: null }),
      'rooms.chat': () => ({ on: false, roomid: null, people: 0 }),
      'rooms.linked': () => ({ roomid: null }),
      'rooms.list': () => ({ complete: true, rooms: [], next: null }),
      'recordings.state': () => null,
      'recordings.list': () => ({ files: [] }),
      'recordings.callbacks': () => ({ list: [], waiting: 0 }),
      'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [made], more: false } }),
    },
  })
  const said = page.getByText('Night Radio 214 has ended')
  expect(said.query()).toBeNull()
  const { cid } = live
  await tell(
    tallies([tally({ ...live, status: 0 })]),
    { type: 'push', profileId: 'local', cid, at: began, kind: 'ended', detail: 'stopped', remedy: null },
    { type: 'broadcast', profileId: 'local', cid, at: began, broadcastId, change: 'ended', how: 'stopped' },
  )
  await expect.element(said).toBeVisible()
  await expect.element(page.getByRole('region', { name: push.title })).toBeVisible()
  await expect.element(page.getByRole('region', { name: log.last })).toBeVisible()
  await page.getByRole('link', { name: words.summary }).click()
  await expect.poll(() => router.currentRoute.value.path).toBe(`/broadcasts/${broadcastId}`)
})
