import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { spoken } from '../../format/languages.ts'
import { broadcastId, makeBroadcast } from '../../testing/broadcast-values.ts'
import { began, channel, mounted, type MountOptions } from '../../testing/mounted.ts'
import { reactive, h, type Component } from 'vue'
import EndedBand from './ended-band.vue'
import { broadcastsWords } from './words.ts'

const { last: words } = spoken(broadcastsWords, 'en').broadcast
const [show, other] = [channel(1), channel(2)]
const made = makeBroadcast(began - 150 * 60_000, show.cid)
type Change = 'began' | 'wentOn' | 'ended' | 'changed' | 'removed'
const told = (change: Change) =>
  ({ type: 'broadcast', profileId: 'local', cid: show.cid, broadcastId, change, at: began }) as const
async function open(options: MountOptions = {}) {
  const props = reactive({ cid: show.cid as string | null, live: false })
  const band: Component = { render: () => h(EndedBand, props) }
  const at = await mounted(band, {
    channels: [show, other],
    ...options,
    answers: { 'operations.broadcast.broadcasts': () => ({ code: 200, ret: { list: [made], more: false } }) },
  })
  return { ...at, props }
}
const text = () => page.getByText('Night Radio 214 has ended')

it('says nothing before a broadcast of the channel ended here', async () => {
  const { client } = await open()
  expect(text().query()).toBeNull()
  expect(client.inputs('operations.broadcast.broadcasts')).toEqual([])
})

it('says that it ended and how long it was, and leads to its summary', async () => {
  const { tell, router } = await open()
  await tell(told('ended'))
  await expect.element(text()).toBeVisible()
  await expect.element(page.getByText('01:53:00')).toBeVisible()
  await page.getByRole('link', { name: words.summary }).click()
  await expect.poll(() => router.currentRoute.value.path).toBe(`/broadcasts/${broadcastId}`)
})

it('is dismissed', async () => {
  const { tell } = await open()
  await tell(told('ended'))
  await page.getByRole('button', { name: words.dismiss }).click()
  await expect.poll(() => text().query()).toBeNull()
})

it.each(['began', 'wentOn', 'removed'] as const)('goes when the broadcast %s', async (change) => {
  const { tell } = await open()
  await tell(told('ended'))
  await expect.element(text()).toBeVisible()
  await tell(told(change))
  await expect.poll(() => text().query()).toBeNull()
})

it('is not there on air, and gone after another channel was opened', async () => {
  const { tell, props } = await open()
  await tell(told('ended'))
  await expect.element(text()).toBeVisible()
  props.live = true
  await expect.poll(() => text().query()).toBeNull()
  props.live = false
  await expect.element(text()).toBeVisible()
  props.cid = other.cid
  await expect.poll(() => text().query()).toBeNull()
  props.cid = show.cid
  await expect.poll(() => text().query()).toBeNull()
})
