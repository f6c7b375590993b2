import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { mounted } from '../../testing/mounted.ts'
import ChannelChoice from './channel-choice.vue'

const channels = [
  { cid: 'a'.repeat(32), name: 'Ana_live' },
  { cid: 'b'.repeat(32), name: 'Radio' },
]
const show = async (first: string | null, all: string | null = 'All channels') => {
  const chosen = ref(first)
  const part = {
    render: () =>
      h(ChannelChoice, {
        channels,
        all,
        shown: chosen.value ?? 'none',
        label: 'Channel',
        modelValue: chosen.value,
        'onUpdate:modelValue': (next: string | null) => (chosen.value = next),
      }),
  }
  await mounted(part)
  return chosen
}
const open = () => page.getByLabelText('Channel', { exact: true }).click()
const option = (name: string) => page.getByRole('option', { name })

describe('the choice of a channel', () => {
  it('is a channel by its name, or all', async () => {
    const chosen = await show(null)
    await open()
    await option('Radio').click()
    expect(chosen.value).toBe(channels[1]!.cid)
    await open()
    await option('All channels').click()
    expect(chosen.value).toBeNull()
  })

  it('offers all only where that can be chosen', async () => {
    await show(channels[0]!.cid, null)
    await open()
    await expect.element(option('Radio')).toBeVisible()
    expect(page.getByRole('option').elements().length).toBe(2)
  })

  it('is found by name and by id, and says what was not found', async () => {
    await show(null)
    await open()
    await userEvent.keyboard('bbbb')
    await expect.element(option('Radio')).toBeVisible()
    await expect.element(option('Ana_live')).not.toBeInTheDocument()
    await userEvent.keyboard('x')
    await expect.element(page.getByText('No channel matches “bbbbx”.')).toBeVisible()
  })
})
