import { useToast } from '@nuxt/ui/composables'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defineComponent, h, nextTick, ref, useTemplateRef, type Component } from 'vue'
import { spoken } from '../format/languages.ts'
import { channelsWords } from '../features/channels/words.ts'
import { frameWords } from '../features/frame/words.ts'
import type { Failure } from '../data/failure.ts'
import { mounted, settled } from '../testing/mounted.ts'
import { useAskedLink } from './asked-link.ts'
import ChoiceGroup from './choice-group.vue'
import ConfirmDialog from './confirm-dialog.vue'
import DiskPath from './disk-path.vue'
import ErrorNote from './error-note.vue'
import FaultBanner from './fault-banner.vue'
import LinkDialog from './link-dialog.vue'
import LinkedText from './linked-text.vue'
import { useMedia } from './media.ts'
import NotePlace from './note-place.vue'
import PageTurner from './page-turner.vue'
import RowMenu from './row-menu.vue'
import SaveFoot from './save-foot.vue'
import SegmentsChoice from './segments-choice.vue'
import SettingsCard from './settings-card.vue'
import SettingsPanel from './settings-panel.vue'
import { useSpanWords } from './span-words.ts'
import { provideStillNotes } from './still-notes.ts'
import { useTablePages } from './table-pages.ts'
import TallyLamp from './tally-lamp.vue'
import TextField from './text-field.ts'
import { useToastProxies } from './toast-proxies.ts'
import WindowControls from './window-controls.vue'
import { isTyping, useWindowKeys } from './window-keys.ts'
import { useElementSize } from './element-size.ts'
import { saveFile } from './saved-file.ts'

const channelsEn = spoken(channelsWords, 'en')
const en = spoken(frameWords, 'en')

const failure = (change: Partial<Failure> = {}): Failure => ({
  kind: 'internal',
  code: null,
  skewSeconds: null,
  detail: 'what happened',
  ...change,
})
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
/** Shows what a function renders, anew when what it reads changes. */
const show = (
  render: () => ReturnType<typeof h> | ReturnType<typeof h>[],
  options: Parameters<typeof mounted>[1] = {},
) => mounted({ render }, options)

describe('a question', () => {
  const ask = async (props: Record<string, unknown> = {}, field?: Component) => {
    const open = ref(true)
    const busy = ref(props['busy'] === true)
    const told: string[] = []
    await show(() =>
      h(
        ConfirmDialog,
        {
          title: 'Delete it?',
          body: 'It is gone then.',
          action: 'Delete',
          ...props,
          busy: busy.value,
          open: open.value,
          'onUpdate:open': (now: boolean) => (open.value = now),
          onConfirm: () => told.push('confirm'),
        },
        { default: () => (field ? h(field) : []) },
      ),
    )
    await expect.element(page.getByRole('dialog', { name: 'Delete it?' })).toBeVisible()
    return { open, told, busy }
  }
  const input = (type: string): Component => ({ render: () => h('input', { type, 'aria-label': 'field' }) })

  it('says what it is about and warns, and is answered by its button', async () => {
    const { told, open } = await ask({ warning: 'It runs.', failure: failure({ kind: 'full' }) })
    const dialog = page.getByRole('dialog')
    await expect.element(dialog).toMatchTextContent(/It is gone then\..*It runs\./s)
    await expect.element(dialog.getByRole('alert')).toMatchTextContent(en.failure.full.sentence)
    await button('Delete').click()
    expect(told).toEqual(['confirm'])
    expect(open.value).toBe(true)
  })

  it.each(['Cancel', 'Escape'])('is left by %s', async (how) => {
    const { told, open } = await ask()
    if (how === 'Escape') await userEvent.keyboard('{Escape}')
    else await button(en.word.cancel).click()
    expect([open.value, told]).toEqual([false, []])
  })

  it('is neither left nor answered again while what it asked for runs', async () => {
    const { open, told } = await ask({ busy: true }, input('text'))
    await expect.element(button(en.word.cancel)).toBeDisabled()
    await userEvent.keyboard('{Escape}')
    await button('Delete').click({ force: true })
    ;(page.getByLabelText('field').element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect([open.value, told]).toEqual([true, []])
  })

  it.each([
    ['text', 1],
    ['number', 1],
    ['password', 1],
    ['checkbox', 0],
  ])('is answered by Enter in a field of text: %s', async (type, times) => {
    const { told } = await ask({}, input(type))
    ;(page.getByLabelText('field').element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    expect(told).toHaveLength(times)
  })

  it('is not answered by Enter that ends the composition of a character', async () => {
    const { told } = await ask({}, input('text'))
    page
      .getByLabelText('field')
      .element()
      .dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true }))
    expect(told).toEqual([])
  })
})

describe('the note of a failure', () => {
  it('says what is wrong and what to do, after what was tried', async () => {
    await show(() => h(ErrorNote, { failure: failure({ kind: 'full' }), lead: 'Not saved.' }))
    const { sentence, next } = en.failure.full
    await expect.element(page.getByRole('alert')).toMatchTextContent(`Not saved. ${sentence} ${next}`)
  })

  it('has its details on request, which can be copied', async () => {
    await show(() => h(ErrorNote, { failure: failure() }))
    const details = button(en.word.details)
    await expect.element(details).toHaveAttribute('aria-expanded', 'false')
    expect(page.getByText('what happened').query()).toBeNull()
    await details.click()
    await expect.element(details).toHaveAttribute('aria-expanded', 'true')
    await expect.element(page.getByText('internal · what happened')).toBeVisible()
    await button(en.word.copy).click()
    await expect.element(button(en.word.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('internal · what happened')
    // Said for some seconds.
    await expect.element(button(en.word.copy)).toBeVisible()
    await details.click()
    expect(page.getByText('internal · what happened').query()).toBeNull()
  })

  it('has the number of a code', async () => {
    await show(() => h(ErrorNote, { failure: failure({ kind: 'code', code: 501 }) }))
    await button(en.word.details).click()
    await expect.element(page.getByText(`${en.word.code} 501 · what happened`)).toBeVisible()
  })

  it('leaves when its cause has ended, but keeps its buttons with what was tried', async () => {
    const told = failure({ kind: 'offline' })
    const past = failure({ kind: 'offline' })
    const { lose, pinia } = await show(() => [
      h(ErrorNote, { failure: told }),
      h(ErrorNote, { failure: told, lead: 'Not read.' }, { default: () => h('button', 'Again') }),
      h(ErrorNote, { failure: past, past: true, lead: 'It was so.' }),
    ])
    const { useCompanion } = await import('../data/companion.ts')
    await lose()
    expect(page.getByRole('alert').elements()).toHaveLength(3)
    useCompanion(pinia).lineIs('open')
    await settled()
    expect(
      page
        .getByRole('alert')
        .elements()
        .map((each) => each.textContent),
    ).toEqual([expect.stringContaining('It was so.')])
    await expect.element(button('Again')).toBeVisible()
    await expect.element(page.getByText('Not read.', { exact: true })).toBeVisible()
  })
})

describe('small parts', () => {
  it('a path on the disk can be copied, and another one has not been yet', async () => {
    const path = ref('/a/b')
    await show(() => h(DiskPath, { path: path.value }))
    await expect.element(page.getByText('/a/b', { exact: false })).toBeVisible()
    await button(channelsEn.ask.copyPath).click()
    await expect.element(button(en.word.copied)).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe('/a/b')
    // Said for some seconds.
    await expect.element(button(channelsEn.ask.copyPath)).toBeVisible()
    await button(channelsEn.ask.copyPath).click()
    await expect.element(button(en.word.copied)).toBeVisible()
    path.value = '/a/c'
    await expect.element(button(channelsEn.ask.copyPath)).toBeVisible()
  })

  it('the pages of a table are turned within their number', async () => {
    const at = ref(1)
    await show(() =>
      h(PageTurner, { pages: 3, modelValue: at.value, 'onUpdate:modelValue': (to: number) => (at.value = to) }),
    )
    const [back, on] = [button(channelsEn.channels.previous), button(channelsEn.channels.next)]
    await expect.element(back).toHaveAttribute('aria-disabled', 'true')
    await back.click({ force: true })
    expect(at.value).toBe(1)
    await on.click()
    await on.click()
    expect(at.value).toBe(3)
    await expect.element(page.getByRole('status')).toHaveTextContent('3 / 3')
    await expect.element(on).toHaveAttribute('aria-disabled', 'true')
    await on.click({ force: true })
    expect(at.value).toBe(3)
    await back.click()
    expect(at.value).toBe(2)
  })

  it('a table has as many rows on a page as fit, and at least six', async () => {
    const height = ref(36 + 44 + 44 * 10)
    const Table = defineComponent({
      setup() {
        const area = useTemplateRef<HTMLElement>('area')
        const { shown, page: at } = useTablePages(ref(Array.from({ length: 30 }, (_, index) => index)), area)
        return () =>
          h('div', { ref: 'area', style: `height: ${height.value}px` }, [
            h('p', { 'data-rows': '' }, `${shown.value.rows.length} ${at.value}`),
            h('button', { onClick: () => (at.value += 1) }, 'on'),
          ])
      },
    })
    await mounted(Table)
    const rows = () => document.querySelector('[data-rows]')?.textContent
    await expect.poll(rows).toBe('10 1')
    await button('on').click()
    await expect.poll(rows).toBe('10 2')
    height.value = 100
    await expect.poll(rows).toBe('6 2')
  })

  it('a choice is taken by click and arrows, which wrap around and keep the focus; other keys do nothing', async () => {
    const chosen = ref('b')
    await show(() =>
      h(ChoiceGroup as Component, {
        label: 'Letter',
        text: 'Which one',
        choices: ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() })),
        modelValue: chosen.value,
        'onUpdate:modelValue': (now: string) => (chosen.value = now),
      }),
    )
    const radio = (name: string) => page.getByRole('radiogroup', { name: 'Letter' }).getByRole('radio', { name })
    await expect.element(radio('B')).toBeChecked()
    expect(['A', 'B', 'C'].map((name) => (radio(name).element() as HTMLElement).tabIndex)).toEqual([-1, 0, -1])
    await radio('C').click()
    expect(chosen.value).toBe('c')
    for (const [key, now] of [
      ['ArrowRight', 'a'],
      ['ArrowLeft', 'c'],
      ['ArrowUp', 'b'],
      ['ArrowDown', 'c'],
    ] as const) {
      await userEvent.keyboard(`{${key}}`)
      expect(chosen.value).toBe(now)
      await expect.element(radio(now.toUpperCase())).toHaveFocus()
    }
    await userEvent.keyboard('{Control>}{ArrowLeft}{/Control}{Alt>}{ArrowLeft}{/Alt}{Meta>}{ArrowLeft}{/Meta}x')
    expect(chosen.value).toBe('c')
  })

  it('segments say which of them is chosen', async () => {
    const chosen = ref<'a' | 'b' | null>(null)
    await show(() =>
      h(SegmentsChoice as Component, {
        label: 'Letter',
        choices: ['a', 'b'] as const,
        chosen: chosen.value,
        nameOf: (each: 'a' | 'b') => each.toUpperCase(),
        onChoose: (each: 'a' | 'b') => (chosen.value = each),
      }),
    )
    await expect.element(button('B')).toHaveAttribute('aria-pressed', 'false')
    await button('B').click()
    await expect.element(button('B')).toHaveAttribute('aria-pressed', 'true')
    await expect.element(button('A')).toHaveAttribute('aria-pressed', 'false')
  })

  it('the foot of a form says what was saved and what went wrong, and why it cannot be saved', async () => {
    const blocked = ref(false)
    await show(() =>
      h(SaveFoot, {
        label: 'Save',
        busy: false,
        blocked: blocked.value,
        saved: 'Saved',
        failure: failure({ kind: 'full' }),
      }),
    )
    await expect.element(page.getByRole('status')).toHaveTextContent('Saved')
    await expect.element(page.getByRole('alert')).toBeVisible()
    await expect.element(button('Save')).toHaveAttribute('aria-disabled', 'false')
    await expect.element(button('Save')).toHaveAttribute('type', 'submit')
    blocked.value = true
    await expect.element(button('Save')).toHaveAttribute('aria-disabled', 'true')
  })

  it('cards and panels are named by their title', async () => {
    await show(() => [
      h(SettingsCard, { name: 'one', title: 'Ports', lead: 'Where it listens' }, { default: () => h('p', 'inside') }),
      h(SettingsPanel, { name: 'two', title: 'Files', lead: 'How long', failure: failure({ kind: 'full' }) }),
    ])
    await expect.element(page.getByRole('group', { name: 'Ports' })).toMatchTextContent(/Where it listens.*inside/s)
    await expect.element(page.getByRole('region', { name: 'Files' })).toMatchTextContent('How long')
    await expect.element(page.getByRole('region', { name: 'Files' }).getByRole('alert')).toBeVisible()
  })

  it('a field has its label, hint, help and error, and gives what is typed', async () => {
    const text = ref('')
    const error = ref<string | false>(false)
    await show(() =>
      h(TextField, {
        label: 'Name',
        name: 'name',
        hint: 'now 5',
        help: 'At most 20',
        error: error.value,
        modelValue: text.value,
        'onUpdate:modelValue': (now: string) => (text.value = now),
      }),
    )
    const field = page.getByRole('textbox', { name: 'Name' })
    await field.fill('abc')
    expect(text.value).toBe('abc')
    await expect.element(page.getByText('now 5')).toBeVisible()
    await expect.element(page.getByText('At most 20')).toBeVisible()
    error.value = 'Too long'
    await expect.element(page.getByText('Too long')).toBeVisible()
    await expect.element(field).toHaveAttribute('aria-invalid', 'true')
  })

  it('a menu of a row acts once its button has the focus again', async () => {
    const told: string[] = []
    await show(() =>
      h(RowMenu, {
        name: 'Row 1',
        items: [
          [
            {
              label: 'Open',
              onSelect: () => told.push(document.activeElement?.getAttribute('aria-label') ?? ''),
            },
            { label: 'Never', disabled: true, onSelect: () => told.push('never') },
          ],
        ],
      }),
    )
    const name = channelsEn.channels.menu.replace('{name}', 'Row 1')
    await button(name).click()
    await expect.element(page.getByRole('menuitem', { name: 'Never' })).toHaveAttribute('aria-disabled', 'true')
    await page.getByRole('menuitem', { name: 'Open' }).click()
    await expect.poll(() => told).toEqual([name])
    await button(name).click()
    await userEvent.keyboard('{Escape}')
    await settled()
    expect(told).toHaveLength(1)
  })

  it.each([
    ['idle', ['idle']],
    ['armed', ['idle', 'armed']],
    ['live', ['live']],
    ['recording', ['live', 'recording']],
    ['disabled', ['disabled']],
    ['fault', ['fault']],
  ] as const)('the lamp of a channel that is %s has a word for each state that holds', async (state, words) => {
    await show(() => h(TallyLamp, { state, running: 61_000, recorded: 5000 }))
    const lamps = [...document.querySelectorAll('.lamp')].map((lamp) => lamp.textContent?.trim() ?? '')
    expect(lamps.map((text) => text.replace(/\d\d:.*/, ''))).toEqual(words.map((word) => en.tally[word]))
    expect(lamps[0]).toContain('00:01:01')
    if (state === 'recording') expect(lamps[1]).toContain('00:00:05')
    else expect(lamps.join('')).not.toContain('00:00:05')
  })

  it('lengths of mutes are words, and 0 has no end', async () => {
    const Words = defineComponent({
      setup() {
        const { length, rest } = useSpanWords()
        return () => h('p', { 'data-words': '' }, [length(0), length(600), rest(61)].join(' | '))
      },
    })
    await mounted(Words)
    await expect
      .poll(() => document.querySelector('[data-words]')?.textContent)
      .toMatch(/^Until lifted \| 10 min \| 1 min/)
  })

  it('the buttons of the window tell the shell', async () => {
    const told: string[] = []
    const shell = {
      minimize: () => told.push('min'),
      toggleMaximize: () => told.push('max'),
      close: () => told.push('close'),
    }
    await show(() => h(WindowControls, { shell: shell as never }))
    for (const name of [en.title.minimize, en.title.maximize, en.title.close]) await button(name).click()
    expect(told).toEqual(['min', 'max', 'close'])
  })

  it('keys of the window are heard while their component is there', async () => {
    const heard: string[] = []
    const there = ref(true)
    const Keys = defineComponent({
      setup() {
        useWindowKeys(({ key }) => heard.push(key))
        return () => h('p', 'here')
      },
    })
    await show(() => h('div', there.value ? [h(Keys)] : []))
    await userEvent.keyboard('a')
    there.value = false
    await nextTick()
    await userEvent.keyboard('b')
    expect(heard).toEqual(['a'])
  })

  it.each([
    ['input', true],
    ['textarea', true],
    ['select', true],
    ['button', false],
  ])('keys go into a field alone: %s', (tag, typing) => {
    expect(isTyping(document.createElement(tag))).toBe(typing)
    expect(isTyping(null)).toBe(false)
  })

  it('keys go into what can be edited', () => {
    const editable = document.createElement('div')
    editable.contentEditable = 'true'
    document.body.append(editable)
    expect(isTyping(editable)).toBe(true)
  })

  it('a media query is followed', async () => {
    const list = new EventTarget()
    let matches = false
    Object.defineProperty(list, 'matches', { get: () => matches })
    const asked: string[] = []
    const { matchMedia } = window
    window.matchMedia = (query) => {
      if (query !== '(width < 5px)') return matchMedia.call(window, query)
      asked.push(query)
      return list as MediaQueryList
    }
    onTestFinished(() => {
      window.matchMedia = matchMedia
    })
    const Query = defineComponent({
      setup() {
        const holds = useMedia('(width < 5px)')
        return () => h('p', { 'data-holds': '' }, String(holds.value))
      },
    })
    await mounted(Query)
    const shown = () => document.querySelector('[data-holds]')?.textContent
    expect([asked.length, shown()]).toEqual([1, 'false'])
    matches = true
    list.dispatchEvent(new Event('change'))
    await expect.poll(shown).toBe('true')
  })

  it('the size of an element is followed, and is 0 without one', async () => {
    const width = ref(0)
    const Size = defineComponent({
      setup() {
        const size = useElementSize(useTemplateRef<HTMLElement>('box'))
        return () =>
          h('div', [
            width.value > 0 ? h('div', { ref: 'box', style: `width: ${width.value}px; height: 30px` }) : null,
            h('p', { 'data-size': '' }, `${size.width.value} ${size.height.value}`),
          ])
      },
    })
    await mounted(Size)
    const shown = () => document.querySelector('[data-size]')?.textContent
    expect(shown()).toBe('0 0')
    width.value = 120
    await expect.poll(shown).toBe('120 30')
    width.value = 90
    await expect.poll(shown).toBe('90 30')
  })

  it('a file is saved under its name, and its address is given back', () => {
    const saved: string[] = []
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      saved.push(this.href, this.download)
    })
    const revoke = vi.spyOn(URL, 'revokeObjectURL')
    onTestFinished(() => {
      click.mockRestore()
      revoke.mockRestore()
    })
    saveFile(new Blob(['x']), 'a.txt')
    expect(saved).toEqual([expect.stringMatching(/^blob:/), 'a.txt'])
    expect(revoke).toHaveBeenCalledWith(saved[0])
  })

  it('the stops around toasts cannot be reached by Tab', async () => {
    const Toasts = defineComponent({
      setup() {
        useToastProxies()
        const toast = useToast()
        return () => h('button', { onClick: () => toast.add({ title: 'News' }) }, 'tell')
      },
    })
    await mounted(Toasts)
    await button('tell').click()
    await expect.element(page.getByText('News', { exact: true }).first()).toBeVisible()
    await expect
      .poll(() => document.querySelectorAll('[role="region"] > span[aria-hidden="true"][tabindex="-1"]').length)
      .toBeGreaterThan(0)
    expect(document.querySelectorAll('[role="region"] > span[aria-hidden="true"][tabindex="0"]')).toHaveLength(0)
  })
})

describe('an address in a text', () => {
  const text = 'see https://xn--80ak6aa92e.com/a and <b>'
  it('asks before it is opened, with its host and warnings', async () => {
    const { client, pinia } = await show(
      () => [h('p', { 'data-text': '' }, [h(LinkedText, { text })]), h(LinkDialog)],
      {
        about: { shell: 'electron' },
        answers: { 'app.openLink': () => undefined },
      },
    )
    await expect.poll(() => document.querySelector('[data-text]')?.textContent).toContain(' and <b>')
    await button('https://xn--80ak6aa92e.com/a').click()
    const dialog = page.getByRole('dialog', { name: en.link.title })
    await expect.element(dialog).toMatchTextContent(en.link.body.replace('{host}', 'xn--80ak6aa92e.com'))
    await expect.element(dialog).toMatchTextContent(en.link.encoded)
    await expect.element(dialog).toMatchTextContent('https://xn--80ak6aa92e.com/a')
    expect(client.inputs('app.openLink')).toEqual([])
    await dialog.getByRole('button', { name: en.word.cancel }).click()
    await expect.element(dialog).not.toBeInTheDocument()
    expect(useAskedLink(pinia).link).toBeNull()
    await button('https://xn--80ak6aa92e.com/a').click()
    await dialog.getByRole('button', { name: en.link.open }).click()
    await expect.poll(() => client.inputs('app.openLink')).toEqual([{ url: 'https://xn--80ak6aa92e.com/a' }])
    await expect.element(dialog).not.toBeInTheDocument()
  })
})

describe('notes about the page', () => {
  const Frame = defineComponent({
    props: { room: Boolean, notes: { type: Number, default: 0 } },
    setup(props) {
      const still = provideStillNotes()
      return () => [
        h('div', { 'data-frame': '', style: 'width: 400px', onPointermove: still.hover, onPointerleave: still.goOn }, [
          h(NotePlace, { at: 'frame' }),
        ]),
        props.room ? h('div', { 'data-room': '' }, [h(NotePlace, { at: 'room' })]) : null,
        ...Array.from({ length: props.notes }, (_, index) =>
          h(FaultBanner, { key: index, title: `Note ${index}`, text: 'why' }, { default: () => h('button', 'Do') }),
        ),
      ]
    },
  })

  it('stand below the screen, or at the end of a room while there is one', async () => {
    const room = ref(false)
    await show(() => h(Frame, { room: room.value, notes: 1 }))
    const placeOf = () => page.getByText('Note 0').element().closest('[data-frame], [data-room]')?.getAttributeNames()
    await expect.element(page.getByText('Note 0')).toBeVisible()
    expect(placeOf()).toContain('data-frame')
    await expect.element(page.getByRole('status')).toHaveTextContent('Note 0')
    await expect.element(page.getByText('why')).toBeVisible()
    await expect.element(button('Do')).toBeVisible()
    room.value = true
    await expect.poll(placeOf).toContain('data-room')
    room.value = false
    await expect.poll(placeOf).toContain('data-frame')
  })

  it('leave their height while a mouse is on them', async () => {
    const notes = ref(2)
    await show(() => h(Frame, { room: false, notes: notes.value }))
    await expect.element(page.getByText('Note 1')).toBeVisible()
    const frame = document.querySelector<HTMLElement>('[data-frame]')!
    const before = frame.offsetHeight
    frame.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'mouse' }))
    notes.value = 1
    await expect.element(page.getByText('Note 1')).not.toBeInTheDocument()
    expect(frame.offsetHeight).toBe(before)
    frame.dispatchEvent(new PointerEvent('pointerleave'))
    await expect.poll(() => frame.offsetHeight).toBeLessThan(before)
    const one = frame.offsetHeight
    frame.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'touch' }))
    notes.value = 0
    await expect.poll(() => frame.offsetHeight).toBeLessThan(one)
  })
})
