import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { useToast } from '@nuxt/ui/composables'
import { page, userEvent } from 'vitest/browser'
import App from './app.vue'
import { useCompanion } from './data/companion.ts'
import type { LineState } from './data/connection.ts'
import type { AuthMethod } from './data/client.ts'
import { spoken } from './format/languages.ts'
import { channelsWords } from './features/channels/words.ts'
import { frameWords } from './features/frame/words.ts'
import { seatsWords } from './features/moderators/words.ts'
import { useFaults } from './features/frame/faults.ts'
import { useSeatPage } from './features/remote-rooms/seat-page.ts'
import { channel, mounted, settled, tallies, tally, usualSettings, withParts } from './testing/mounted.ts'
import { seat } from './testing/room-values.ts'

const channelsEn = spoken(channelsWords, 'en')
const en = spoken(frameWords, 'en')
const seatsEn = spoken(seatsWords, 'en')

type Options = Parameters<typeof mounted>[1] & {
  readonly line?: LineState
  readonly authMethod?: AuthMethod | null
  /** Nothing came over the line yet. */
  readonly isNew?: boolean
}
let toasts: ReturnType<typeof useToast>
const Toasts = {
  setup: () => {
    toasts = useToast()
    return () => null
  },
}
const show = async ({ line = 'open', authMethod = 'link', isNew = false, ...options }: Options = {}) => {
  const listens = vi.spyOn(window, 'addEventListener')
  const shown = await mounted(withParts(App, Toasts), {
    isRoot: true,
    path: '/channels',
    ...options,
    before: (pinia) => {
      const companion = useCompanion(pinia)
      companion.authMethod = authMethod
      if (isNew) companion.profiles = null
      companion.lineIs(line)
      options.before?.(pinia)
    },
  })
  const keyListeners = listens.mock.calls.filter(([type]) => type === 'keydown').map(([, listener]) => listener)
  listens.mockRestore()
  // The page listens as long as it is there, and here one comes after the other.
  onTestFinished(() => {
    for (const listener of keyListeners) window.removeEventListener('keydown', listener)
  })
  return shown
}
const rail = () => page.getByRole('navigation')
const screen = (name: string) => page.getByText(`screen ${name}`, { exact: true })
const connecting = () => page.getByText(en.line.connecting, { exact: true })
const needsLink = () => page.getByRole('heading', { name: en.line.unauthorizedTitle })
const seatSignIn = () => page.getByRole('heading', { name: seatsEn.seatPage.signIn })
const isLost = () => page.getByText(en.line.lostNext)
const dialog = () => page.getByRole('dialog')
/** Whether the page leaves a key to the browser. */
const leaves = (press: KeyboardEventInit): boolean =>
  document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...press }))
const commands = { key: 'k', ctrlKey: true }
const popOut = '/pop-out/room/7/local'

describe("the app's page", () => {
  it('shows the frame with the screen of its address once the line is open', async () => {
    const { router } = await show()
    await expect.element(rail()).toBeVisible()
    await expect.element(screen('channels')).toBeVisible()
    await router.push('/recordings')
    await expect.element(screen('recordings')).toBeVisible()
    expect(connecting().query()).toBeNull()
  })

  it('shows nothing until it is known whose page it is', async () => {
    await show({ line: 'connecting', authMethod: null, isNew: true })
    expect(rail().query()).toBeNull()
    expect(page.getByRole('main').query()).toBeNull()
  })

  it('says within the frame that it connects until the profiles are there', async () => {
    await show({ line: 'connecting', isNew: true })
    await expect.element(rail()).toBeVisible()
    await expect.element(connecting()).toBeInTheDocument()
    expect(screen('channels').query()).toBeNull()
  })

  it('keeps the screen while the line is lost, and says so', async () => {
    const { lose } = await show()
    await lose()
    await expect.element(isLost()).toBeVisible()
    await expect.element(screen('channels')).toBeVisible()
  })

  it('shows what opens it in place of every screen where it is not signed in', async () => {
    await show({ line: 'unauthorized' })
    await expect.element(needsLink()).toBeVisible()
    expect(screen('channels').query()).toBeNull()
    expect(isLost().query()).toBeNull()
  })

  it('tells of a fault of the page', async () => {
    const { pinia } = await show()
    useFaults(pinia).heard('thrown')
    await expect.element(page.getByText(en.fault.page.title)).toBeVisible()
  })
})

describe('toasts', () => {
  const boxOf = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()
  const stack = 'ol[data-slot="viewport"]'
  const tell = (title: string): void => {
    onTestFinished(() => toasts.clear())
    toasts.add({ title, description: 'Since 16:00:00. The broadcast goes on.', duration: 0 })
  }

  it('cover neither the screen nor the status bar, which ends where it did once they are gone', async () => {
    await show()
    const before = boxOf('main').bottom
    tell('Second sends no picture')
    tell('Third sends no picture')
    await expect.poll(() => boxOf(stack).height).toBeGreaterThan(100)
    const isAbove = (): boolean => boxOf('main').bottom <= boxOf(stack).top && boxOf('nav').bottom <= boxOf(stack).top
    await expect.poll(isAbove).toBe(true)
    expect(boxOf(stack).bottom).toBeLessThanOrEqual(boxOf('footer').top)
    toasts.clear()
    await expect.poll(() => boxOf('main').bottom).toBe(before)
  })

  it('are one line each where there is room, so that the screen keeps its height', async () => {
    await show()
    const before = boxOf('main').bottom
    onTestFinished(() => toasts.clear())
    const actions = [{ label: 'Open', variant: 'outline' as const }]
    toasts.add({ title: 'Radio_Ana sends no picture', description: 'Since 16:00:00.', duration: 0, actions })
    await expect.element(page.getByRole('button', { name: 'Open', exact: true })).toBeVisible()
    await expect.poll(() => boxOf('main').bottom).toBeLessThan(before)
    expect(boxOf(`${stack} > li`).height).toBeLessThanOrEqual(48)
    expect(before - boxOf('main').bottom).toBeLessThanOrEqual(60)
  })

  it('are at most five, of which the oldest goes first', async () => {
    await show()
    for (let n = 1; n <= 7; n++) tell(`Message ${n}`)
    await expect.element(page.getByText('Message 7', { exact: true }).first()).toBeVisible()
    expect(document.querySelectorAll(`${stack} > li`)).toHaveLength(5)
    expect(page.getByText('Message 2', { exact: true }).query()).toBeNull()
  })

  it('go by themselves, but not while the focus is among them, which F8 leads to', async () => {
    await show()
    onTestFinished(() => toasts.clear())
    const lasts = 4_000
    const message = () => page.getByText('Goes', { exact: true }).first()
    toasts.add({ title: 'Goes', duration: lasts })
    await expect.element(message()).toBeVisible()
    await userEvent.keyboard('{F8}')
    await expect.poll(() => document.querySelector(stack)?.contains(document.activeElement)).toBe(true)
    const since = performance.now()
    await expect.poll(() => performance.now() - since).toBeGreaterThan(lasts + 500)
    await expect.element(message()).toBeVisible()
    ;(document.activeElement as HTMLElement).blur()
    await expect.element(message()).not.toBeInTheDocument()
  })

  it('are closed by the keyboard', async () => {
    await show()
    tell('Stays')
    await expect.element(page.getByText('Stays', { exact: true }).first()).toBeVisible()
    ;[...document.querySelectorAll<HTMLElement>(`${stack} > li button`)].at(-1)!.focus()
    await userEvent.keyboard('{Enter}')
    await expect.poll(() => document.querySelectorAll(`${stack} > li`).length).toBe(0)
  })

  it('cover no dialog, which stays below the lamp of the title bar', async () => {
    await page.viewport(1440, 400)
    onTestFinished(() => page.viewport(1440, 900))
    await show()
    await userEvent.keyboard('?')
    await expect.element(dialog()).toBeVisible()
    tell('Second sends no picture')
    tell('Third sends no picture')
    await expect.poll(() => boxOf(stack).height).toBeGreaterThan(50)
    await expect.poll(() => boxOf('[role="dialog"]').bottom <= boxOf(stack).top).toBe(true)
    expect(boxOf('[role="dialog"]').top).toBeGreaterThanOrEqual(boxOf('header').bottom)
  })
})

describe("a room's own window", () => {
  it('has the room alone, without the frame', async () => {
    await show({ path: popOut })
    await expect.element(screen('popOut')).toBeVisible()
    expect(rail().query()).toBeNull()
  })

  it('says that it connects until the profiles are there', async () => {
    await show({ path: popOut, line: 'connecting', authMethod: null, isNew: true })
    await expect.element(connecting()).toBeInTheDocument()
    expect(screen('popOut').query()).toBeNull()
  })

  it('keeps the room while the line is lost, and says so', async () => {
    const { lose } = await show({ path: popOut })
    await lose()
    await expect.element(isLost()).toBeVisible()
    await expect.element(screen('popOut')).toBeVisible()
  })

  it('shows what opens it where it is not signed in', async () => {
    await show({ path: popOut, line: 'unauthorized' })
    await expect.element(needsLink()).toBeVisible()
    expect(screen('popOut').query()).toBeNull()
  })

  it('of a moderator has the room too, and the sign-in of a moderator where they are not signed in', async () => {
    const { pinia } = await show({ path: popOut, authMethod: 'account', about: { seat } })
    await expect.element(screen('popOut')).toBeVisible()
    useCompanion(pinia).lineIs('unauthorized')
    await expect.element(seatSignIn()).toBeVisible()
    await expect.element(screen('popOut')).not.toBeInTheDocument()
    expect(needsLink().query()).toBeNull()
  })
})

describe("a moderator's page", () => {
  it('asks to sign in, without the frame and the screens of the app', async () => {
    await show({ authMethod: 'account', line: 'unauthorized', isNew: true })
    await expect.element(seatSignIn()).toBeVisible()
    expect(rail().query()).toBeNull()
    expect(screen('channels').query()).toBeNull()
  })

  it('has none of the keys of the app, and leaves them to the browser', async () => {
    await show({ authMethod: 'account', line: 'unauthorized', isNew: true })
    await expect.element(seatSignIn()).toBeVisible()
    ;(document.activeElement as HTMLElement).blur()
    await userEvent.keyboard('?n{Control>}k{/Control}')
    expect(dialog().query()).toBeNull()
    expect([leaves(commands), leaves({ key: 'n' })]).toEqual([true, true])
  })

  it('has the look that this browser remembers, whatever the settings of the app are', async () => {
    const { pinia } = await show({ authMethod: 'account', line: 'unauthorized', settings: { theme: 'dark' } })
    await expect.element(seatSignIn()).toBeVisible()
    useSeatPage(pinia).setTheme('light')
    await expect.poll(() => document.documentElement.classList.contains('light')).toBe(true)
    expect(document.documentElement.classList.contains('dark')).toBe(false)
    useSeatPage(pinia).setTheme('dark')
    await expect.poll(() => document.documentElement.classList.contains('dark')).toBe(true)
  })
})

describe('the look of the page', () => {
  it.each(['dark', 'light'] as const)('is that of the settings: %s', async (theme) => {
    await show({ settings: { theme } })
    await expect.poll(() => document.documentElement.classList.contains(theme)).toBe(true)
    expect(document.documentElement.classList.contains(theme === 'dark' ? 'light' : 'dark')).toBe(false)
  })

  it.each([
    ['en', 'en'],
    ['zh', 'zh-CN'],
  ] as const)('says its language to screen readers: %s', async (language, lang) => {
    await show({ language })
    await expect.poll(() => document.documentElement.lang).toBe(lang)
  })

  it('is kept, so that the next page begins in its language', async () => {
    const memory = new Map<string, string>()
    const { tell } = await show({ memory })
    await tell({ type: 'settings', settings: { ...usualSettings, language: 'zh' } })
    await expect.poll(() => memory.get('sidestage.language')).toBe('zh')
    await tell({ type: 'settings', settings: { ...usualSettings, language: 'system' } })
    await expect.poll(() => memory.get('sidestage.language')).toBe('system')
  })

  it('names what is on air in the title of the page', async () => {
    await show({ channels: [channel(1, { status: 1, name: 'Night show' })] })
    await expect.poll(() => document.title).toBe('● Night show – Sidestage')
  })

  it('has the title of the app while nothing is on air', async () => {
    await show({ channels: [channel(1)] })
    await expect.poll(() => document.title).toBe('Sidestage')
  })
})

describe('the keys of the page', () => {
  it.each([
    ['Ctrl+K opens the commands', '{Control>}k{/Control}', /./],
    ['? lists the keys', '?', en.keys.title],
    ['N makes a channel', 'n', channelsEn.create.title],
  ])('%s', async (_case, keys, name) => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    await userEvent.keyboard(keys)
    await expect.element(dialog()).toBeVisible()
    await expect.element(dialog()).toMatchTextContent(name)
  })

  it('do nothing in the window of a room, and are left to the browser', async () => {
    await show({ path: popOut })
    await expect.element(screen('popOut')).toBeVisible()
    await userEvent.keyboard('?n{Control>}k{/Control}')
    expect(dialog().query()).toBeNull()
    expect([leaves(commands), leaves({ key: 'n' })]).toEqual([true, true])
  })

  it('are not left to the browser where they do something', async () => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    expect(leaves(commands)).toBe(false)
  })

  it('lead past the rail to the screen', async () => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    page.getByRole('button', { name: en.nav.skip }).element().focus()
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByRole('main')).toHaveFocus()
  })
})

describe('the look of the page after a change', () => {
  it('follows the settings and the system', async () => {
    const listeners: (() => void)[] = []
    let matches = false
    const { matchMedia } = window
    window.matchMedia = (query) => {
      if (query !== '(prefers-color-scheme: dark)') return matchMedia.call(window, query)
      return {
        get matches() {
          return matches
        },
        addEventListener: (_type: string, listener: () => void) => listeners.push(listener),
        removeEventListener: () => undefined,
      } as unknown as MediaQueryList
    }
    onTestFinished(() => {
      window.matchMedia = matchMedia
    })
    const { tell } = await show({ settings: { theme: 'system' } })
    const isDark = () => document.documentElement.classList.contains('dark')
    await expect.poll(isDark).toBe(false)
    matches = true
    for (const listener of listeners) listener()
    await expect.poll(isDark).toBe(true)
    await tell({ type: 'settings', settings: { ...usualSettings, theme: 'light' } })
    await expect.poll(isDark).toBe(false)
    await tell({ type: 'settings', settings: { ...usualSettings, theme: 'light', language: 'zh' } })
    await expect.poll(() => document.documentElement.lang).toBe('zh-CN')
  })

  it('names what is recorded in the title of the page, and nothing there once it is off the air', async () => {
    const one = channel(1, { status: 3, name: 'Night show' })
    const { tell } = await show({ channels: [one] })
    await expect.poll(() => document.title).toBe('● Night show – Sidestage')
    await tell(tallies([tally({ ...one, status: 0 })]))
    await expect.poll(() => document.title).toBe('Sidestage')
  })
})

describe('keys that the page leaves alone', () => {
  const key = async (press: KeyboardEventInit): Promise<void> => {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...press }))
    await settled()
  }

  it.each([
    ['of a character that is composed', { key: 'n', isComposing: true }],
    ['with Ctrl', { key: 'n', ctrlKey: true }],
    ['with Alt', { key: 'n', altKey: true }],
    ['with the command key', { key: '?', metaKey: true }],
  ])('are those %s', async (_case, press) => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    await key(press)
    expect(dialog().query()).toBeNull()
    expect(leaves(press)).toBe(true)
  })

  it('are those that are written into a field, but not the key of the commands', async () => {
    await show()
    const field = document.createElement('input')
    document.body.append(field)
    field.focus()
    await userEvent.keyboard('n?')
    expect([field.value, dialog().query()]).toEqual(['n?', null])
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(dialog()).toBeVisible()
  })

  it('are those that something else has used', async () => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    const use = (event: Event): void => event.preventDefault()
    window.addEventListener('keydown', use, { capture: true })
    onTestFinished(() => window.removeEventListener('keydown', use, { capture: true }))
    await key({ key: 'n' })
    await key({ key: 'k', ctrlKey: true })
    expect(dialog().query()).toBeNull()
  })

  it('are those of a dialog that is open', async () => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    await key({ key: 'n' })
    await expect.element(dialog()).toMatchTextContent(channelsEn.create.title)
    ;(document.activeElement as HTMLElement).blur()
    await key({ key: '?' })
    expect(dialog().elements()).toHaveLength(1)
  })

  it('are those of the list of keys where the screen has used them meanwhile', async () => {
    await show()
    await expect.element(screen('channels')).toBeVisible()
    const use = (event: Event): void => event.preventDefault()
    window.addEventListener('keydown', use)
    onTestFinished(() => window.removeEventListener('keydown', use))
    await key({ key: '?' })
    expect(dialog().query()).toBeNull()
  })
})

it('the key of the commands opens and closes them', async () => {
  await show()
  await expect.element(screen('channels')).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(dialog()).toBeVisible()
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(dialog()).not.toBeInTheDocument()
})

it('a focus that goes with its screen goes to the next screen, and one elsewhere stays', async () => {
  const { router } = await show()
  await expect.element(screen('channels')).toBeVisible()
  ;(document.activeElement as HTMLElement).blur()
  await router.push('/recordings')
  await expect.element(page.getByRole('main')).toHaveFocus()
  const skip = page.getByRole('button', { name: en.nav.skip })
  skip.element().focus()
  await router.push('/channels')
  await expect.element(screen('channels')).toBeVisible()
  await settled()
  await expect.element(skip).toHaveFocus()
})

it.each(['/studio', '/room'])('the chat is the second stop of the page: %s', async (path) => {
  await show({ path })
  await expect.element(screen(path.slice(1))).toBeVisible()
  const main = page.getByRole('main')
  // The first one is the way to the screen.
  page.getByRole('button', { name: en.nav.skip }).element().focus()
  await userEvent.keyboard('{Tab}')
  await expect.element(page.getByRole('button', { name: en.nav.skipChat })).toHaveFocus()
  await userEvent.keyboard('{Enter}')
  // There is no chat yet.
  await expect.element(main).toHaveFocus()
  for (const hidden of [true, false]) {
    const log = document.createElement('div')
    log.setAttribute('role', 'log')
    log.tabIndex = 0
    log.textContent = 'lines'
    log.hidden = hidden
    main.element().append(log)
  }
  page.getByRole('button', { name: en.nav.skipChat }).element().focus()
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(document.querySelector('main [role="log"]:not([hidden])'))
})

it('only screens with a chat have a way to it', async () => {
  await show({ path: '/recordings' })
  await expect.element(page.getByRole('button', { name: en.nav.skip })).toBeInTheDocument()
  expect(page.getByRole('button', { name: en.nav.skipChat }).query()).toBeNull()
})

it('channels are read again when the line is open again', async () => {
  const { client, lose, pinia } = await show()
  const before = client.inputs('channels.list').length
  await lose()
  expect(client.inputs('channels.list')).toHaveLength(before)
  useCompanion(pinia).lineIs('open')
  await expect.poll(() => client.inputs('channels.list').length).toBe(before + 1)
})
