import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { failed } from '../../testing/memory-client.ts'
import { mounted, settingsWith, starting, type MountOptions } from '../../testing/mounted.ts'
import { spoken } from '../../format/languages.ts'
import { desktopWords } from '../desktop/words.ts'
import { moderatorWords } from '../remote-rooms/words-seat.ts'
import KeysPanel from './keys-panel.vue'

const desktopEn = spoken(desktopWords, 'en')
const moderatorEn = spoken(moderatorWords, 'en')

const { keys: words } = moderatorEn.moderator
const { keys: global } = desktopEn.desktop
const show = (options: MountOptions = {}) =>
  mounted(KeysPanel, {
    ...options,
    answers: {
      'app.changeSettings': (change) => settingsWith(options.settings ?? {}, change),
      ...options.answers,
    },
  })
const keyOf = (command: string, key: string) =>
  page.getByRole('button', { name: words.change.replace('{command}', command).replace('{key}', key), exact: true })
const asked = () => page.getByRole('button', { name: words.press, exact: true })
const commands = moderatorEn.moderator.command

describe('the keys of the Room', () => {
  it('are changed by pressing another one, at the command that was chosen', async () => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await expect.element(asked()).toBeVisible()
    await userEvent.keyboard('n')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ roomKeys: { mute: ['n'] } }])
    await expect.element(keyOf(commands.mute, 'N')).toBeVisible()
    await expect.element(page.getByRole('status')).toMatchTextContent(commands.mute)
  })

  it('have the names of the presets, and of those that are not set', async () => {
    await show({ settings: { mutePresets: [90, 0] } })
    for (const [name, key] of [
      [commands.preset.replace('{time}', '1 min 30 s'), '1'],
      [commands.preset.replace('{time}', moderatorEn.moderator.span.lifted), '2'],
      [commands.presetNone.replace('{n}', '3'), '3'],
    ] as const)
      await expect.element(keyOf(name, key)).toBeVisible()
  })

  it('keep the second key of a command when its first is changed', async () => {
    const { client } = await show()
    await keyOf(commands.up, '↑').click()
    await userEvent.keyboard('w')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ roomKeys: { up: ['w', 'k'] } }])
  })

  it('stay as they are after Esc', async () => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard('{Escape}')
    await expect.element(keyOf(commands.mute, 'M')).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('refuse a key that another command has, name that one, and go on asking', async () => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard('x')
    await expect.element(page.getByRole('alert')).toMatchTextContent(commands.blacklist)
    expect(client.inputs('app.changeSettings')).toEqual([])
    await userEvent.keyboard('n')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ roomKeys: { mute: ['n'] } }])
  })

  it('go back to the usual one for one command alone', async () => {
    const { client } = await show({ settings: { roomKeys: { mute: ['n'], remove: ['y'] } } })
    await page.getByRole('button', { name: words.reset.replace('{command}', commands.mute), exact: true }).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ roomKeys: { remove: ['y'] } }])
  })

  it('do not go back to a usual key that another command has now', async () => {
    const { client } = await show({ settings: { roomKeys: { mute: ['n'], remove: ['m'] } } })
    await page.getByRole('button', { name: words.reset.replace('{command}', commands.mute), exact: true }).click()
    await expect.element(page.getByRole('alert')).toMatchTextContent(commands.remove)
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('all go back at once, which is not offered while all are usual', async () => {
    const { client } = await show({ settings: { roomKeys: { mute: ['n'] } } })
    await page.getByRole('button', { name: words.resetAll }).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ roomKeys: {} }])
    await expect.element(page.getByRole('button', { name: words.resetAll })).toHaveAttribute('aria-disabled', 'true')
  })

  it.each([
    ['{Enter}', words.refused.controls.replace('{key}', 'Enter')],
    ['{F8}', words.refused.system.replace('{key}', 'F8')],
  ])('refuse %s with the reason', async (key, says) => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard(key)
    await expect.element(page.getByRole('alert')).toMatchTextContent(says)
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('refuse a letter for what counts while somebody types', async () => {
    const { client } = await show()
    await keyOf(commands.panic, 'F9').click()
    await userEvent.keyboard('n')
    await expect.element(page.getByRole('alert')).toMatchTextContent(words.refused.typing.replace('{mod}', 'Ctrl'))
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('are asked for no longer once the focus leaves the button', async () => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await expect.element(asked()).toBeVisible()
    asked().element().blur()
    await expect.element(keyOf(commands.mute, 'M')).toBeVisible()
    await userEvent.keyboard('n')
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('wait while a modifier is held, and take no key that is held down', async () => {
    const { client } = await show()
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard('{Shift>}{/Shift}')
    asked()
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'n', repeat: true, bubbles: true, cancelable: true }))
    await expect.element(asked()).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('have the usual one to go back to only where another one is set', async () => {
    await show({ settings: { roomKeys: { mute: ['n'] } } })
    await expect.element(keyOf(commands.mute, 'N')).toBeVisible()
    const resets = page.getByRole('button', { name: starting(words.reset.slice(0, 12)) }).elements()
    expect(resets.map((each) => each.getAttribute('aria-label'))).toEqual([
      words.reset.replace('{command}', commands.mute),
    ])
  })

  it('say why a key was not kept, and show the one that still holds', async () => {
    await show({
      answers: {
        'app.changeSettings': () => {
          throw failed()
        },
      },
    })
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard('n')
    await expect.element(page.getByRole('alert').first()).toBeVisible()
    await expect.element(keyOf(commands.mute, 'M')).toBeVisible()
  })
})

describe('keys that work from other windows', () => {
  const able: MountOptions = { about: { shell: 'electron', capabilities: ['globalKeys'], platform: 'linux' } }
  const none = (command: string) => page.getByRole('button', { name: global.set.replace('{command}', command) })
  const pressed = () => page.getByRole('button', { name: global.press, exact: true })

  it('are given by pressing one', async () => {
    const { client } = await show(able)
    await none(global.commands.record).click()
    await expect.element(pressed()).toBeVisible()
    await userEvent.keyboard('{Control>}{Alt>}r{/Alt}{/Control}')
    await expect
      .poll(() => client.inputs('app.changeSettings'))
      .toEqual([{ globalKeys: { record: 'CommandOrControl+Alt+R' } }])
  })

  it('are not given by a key that is held down, nor by a modifier alone', async () => {
    const { client } = await show(able)
    await none(global.commands.record).click()
    await userEvent.keyboard('{Control>}{Alt>}{/Alt}{/Control}')
    const held = { key: 'r', code: 'KeyR', ctrlKey: true, altKey: true, repeat: true, bubbles: true, cancelable: true }
    pressed().element().dispatchEvent(new KeyboardEvent('keydown', held))
    await expect.element(pressed()).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('refuse a plain letter, which other programs need', async () => {
    const { client } = await show(able)
    await none(global.commands.record).click()
    await userEvent.keyboard('r')
    await expect.element(page.getByText(global.unfit)).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('refuse one that another of them has', async () => {
    const { client } = await show({ ...able, settings: { globalKeys: { show: 'F7' } } })
    await none(global.commands.record).click()
    await userEvent.keyboard('{F7}')
    await expect.element(page.getByText(global.twice.replace('{key}', 'F7'))).toBeVisible()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('are taken away, the others stay', async () => {
    const { client } = await show({ ...able, settings: { globalKeys: { show: 'F7', record: 'F8' } } })
    await page.getByRole('button', { name: global.remove.replace('{command}', global.commands.show) }).click()
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ globalKeys: { record: 'F8' } }])
  })

  it('say whether the system gives them', async () => {
    const { tell } = await show({ ...able, settings: { globalKeys: { show: 'F7', record: 'F8' } } })
    const keys = [
      { command: 'show' as const, key: 'F7', state: 'registered' as const },
      { command: 'record' as const, key: 'F8', state: 'taken' as const },
    ]
    await tell({ type: 'desktop', desktop: { startAtLogin: 'off', keys } })
    await expect.element(page.getByText(global.works.replace('{key}', 'F7'))).toBeVisible()
    await expect.element(page.getByText(global.taken.replace('{key}', 'F8'))).toBeVisible()
  })

  it('stay as they are after Esc', async () => {
    const { client } = await show({ ...able, settings: { globalKeys: { show: 'F7' } } })
    await page.getByRole('button', { name: starting(`${global.commands.show}: F7`) }).click()
    await userEvent.keyboard('{Escape}')
    await expect.element(pressed()).not.toBeInTheDocument()
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('refuse one of the Room, and name its command', async () => {
    const { client } = await show(able)
    await none(global.commands.record).click()
    await userEvent.keyboard('{F9}')
    await expect
      .element(page.getByRole('alert'))
      .toMatchTextContent(global.room.replace('{key}', 'F9').replace('{other}', commands.panic))
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('may have the key with which the room is muted for that same', async () => {
    const { client } = await show(able)
    await none(global.commands.panic).click()
    await userEvent.keyboard('{F9}')
    await expect.poll(() => client.inputs('app.changeSettings')).toEqual([{ globalKeys: { panic: 'F9' } }])
  })

  it('say on both sides that the Room never gets a key that it has too', async () => {
    await show({ ...able, settings: { globalKeys: { record: 'F9' } } })
    await expect
      .element(page.getByText(global.hides.replace('{other}', commands.panic).replace('{key}', 'F9')))
      .toBeVisible()
    await expect
      .element(page.getByText(words.hidden.replace('{key}', 'F9').replace('{other}', global.commands.record)))
      .toBeVisible()
  })

  it('keep the Room from taking theirs', async () => {
    const { client } = await show({ ...able, settings: { globalKeys: { record: 'F2' } } })
    await keyOf(commands.mute, 'M').click()
    await userEvent.keyboard('{F2}')
    await expect
      .element(page.getByRole('alert'))
      .toMatchTextContent(words.refused.global.replace('{key}', 'F2').replace('{other}', global.commands.record))
    expect(client.inputs('app.changeSettings')).toEqual([])
  })

  it('that are kept from before hide none of the Room where the desktop hands none out', async () => {
    await show({ about: { shell: 'electron', platform: 'linux' }, settings: { globalKeys: { record: 'F9' } } })
    await expect.element(page.getByText(global.wayland)).toBeVisible()
    expect(page.getByText(starting(words.hidden.slice(0, 20).replace('{key}', 'F9'))).query()).toBeNull()
    expect(none(global.commands.show).query()).toBeNull()
  })

  it('have no place in the browser, which is said', async () => {
    await show()
    await expect.element(page.getByText(global.browser)).toBeVisible()
    expect(none(global.commands.record).query()).toBeNull()
  })
})
