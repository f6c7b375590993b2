import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref, type Component } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { channel, mounted, settingsWith, tally, type MountOptions } from '../../testing/mounted.ts'
import { useDialogs } from '../channels/dialogs.ts'
import CommandPalette from './command-palette.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const { palette: words } = en
const one = channel(1, { status: 3, needRecord: true })
const other = channel(2)
const show = async (options: MountOptions = {}) => {
  const open = ref(true)
  const part: Component = {
    render: () => h(CommandPalette, { open: open.value, 'onUpdate:open': (next: boolean) => (open.value = next) }),
  }
  const on = await mounted(part, { channels: [one, other], tallies: [tally(one), tally(other)], ...options })
  return { ...on, open }
}
const entry = (name: string | RegExp) => page.getByRole('option', { name })
const search = () => page.getByRole('textbox').or(page.getByRole('combobox')).first()

describe('the command palette', () => {
  it('opens the channel that is found by its name, and closes', async () => {
    const { router, open } = await show()
    await search().fill('Channel 2')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => router.currentRoute.value.path).toBe(`/studio/${other.cid}`)
    expect(open.value).toBe(false)
  })

  it('copies the key of the channel that Studio shows, without showing it', async () => {
    const { client } = await show({ answers: { 'push.copy': () => ({ text: 'the-key' }) } })
    await search().fill('copy stream key')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('push.copy')).toEqual([{ profileId: 'local', cid: one.cid, part: 'key' }])
    await expect.poll(() => navigator.clipboard.readText()).toBe('the-key')
    await expect.element(page.getByText(words.keyCopied).first()).toBeVisible()
    expect(page.getByText('the-key').query()).toBeNull()
  })

  it('marks the second of a channel that is recorded, and says why it could not', async () => {
    const { client } = await show({
      answers: {
        'recordings.mark': () => {
          throw failed({ kind: 'code', code: 500 })
        },
      },
    })
    await search().fill('bookmark')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('recordings.mark')).toEqual([{ profileId: 'local', cid: one.cid, label: '' }])
    expect(page.getByText(words.marked).query()).toBeNull()
  })

  it('has no marking where nothing is recorded', async () => {
    await show({ channels: [other], tallies: [tally(other)] })
    await search().fill('bookmark')
    await expect.element(page.getByText(words.empty.replace('{query}', 'bookmark'))).toBeVisible()
  })

  it('switches the theme', async () => {
    const { client } = await show({ answers: { 'app.changeSettings': (change) => settingsWith(change) } })
    await search().fill('night')
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ theme: 'light' }])
  })

  it('asks for the name of a new channel', async () => {
    const { pinia } = await show()
    await entry(new RegExp(`^${en.create.title}`)).click()
    expect(useDialogs(pinia).question).toEqual({ kind: 'create' })
  })

  it('goes to a screen', async () => {
    const { router } = await show()
    await search().fill('Callbacks')
    await entry(new RegExp(`^${words.screen.receivers}`)).click()
    await expect.poll(() => router.currentRoute.value.path).toBe('/settings/receivers')
  })
})
