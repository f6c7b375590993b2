import { expect, it } from 'vitest'
import { useCompanion } from '../../data/companion.ts'
import { channel, mounted } from '../../testing/mounted.ts'
import { useChannels } from './channels.ts'
import { useShownChannel } from './shown-channel.ts'

const one = channel(1)
const show = async () => {
  let open: ReturnType<typeof useShownChannel> | undefined
  const part = {
    setup: () => {
      open = useShownChannel()
      return () => null
    },
  }
  const shown = await mounted(part, { channels: [one], path: '/channels' })
  return { ...shown, open: open! }
}

it('opens a channel of the chosen profile in the Studio, and remembers it', async () => {
  const { open, router, pinia } = await show()
  open('local', one.cid)
  await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
  expect([useChannels(pinia).opened, useCompanion(pinia).profile?.id]).toEqual([one.cid, 'local'])
})

it('chooses the profile of a channel of another one', async () => {
  const { open, router, pinia } = await show()
  open('hosted-1', one.cid)
  await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${one.cid}`)
  expect(useCompanion(pinia).profile?.id).toBe('hosted-1')
})
