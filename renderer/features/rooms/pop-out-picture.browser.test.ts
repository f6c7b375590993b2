import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { studioWords } from '../studio/words.ts'
import PopOutPicture from './pop-out-picture.vue'

const studioEn = spoken(studioWords, 'en')

const { preview: words } = studioEn
const linked = channel(1, { name: 'Studio one' })
const show = (status: number, options: Parameters<typeof mounted>[1] = {}) =>
  mounted(PopOutPicture, {
    props: { cid: linked.cid, name: linked.name },
    channels: [{ ...linked, status }],
    ...options,
  })

describe("the picture in a room's own window", () => {
  it('is asked for only while the channel is on air, and with its sound off', async () => {
    const { client, tell } = await show(0)
    await expect.poll(() => document.querySelector('video')?.muted).toBe(true)
    expect(client.inputs('preview.open')).toEqual([])
    await tell(tallies([tally({ ...linked, status: 1 })]))
    await expect.poll(() => client.inputs('preview.open')[0]).toEqual({ profileId: 'local', cid: linked.cid })
  })

  it.each([1, 3])('is that of the channel of the room: status %i', async (status) => {
    const { client } = await show(status)
    await expect.poll(() => client.inputs('preview.open')[0]).toEqual({ profileId: 'local', cid: linked.cid })
  })

  it('is not asked for while the channel is disabled', async () => {
    const { client } = await show(2)
    await expect.element(page.getByText(words.disabled)).toBeVisible()
    expect(client.inputs('preview.open')).toEqual([])
  })
})
