import { describe, expect, it, onTestFinished } from 'vitest'
import { page } from 'vitest/browser'
import { defineComponent, h, nextTick, ref, type Component, type VNode } from 'vue'
import { channelsWords } from '../features/channels/words.ts'
import { spoken } from '../format/languages.ts'
import { mounted, settled } from '../testing/mounted.ts'
import CheckMark from './check-mark.vue'
import ChoiceGroup from './choice-group.vue'
import FaultBanner from './fault-banner.vue'
import FrameNotes from '../features/frame/frame-notes.vue'
import IconButton from './icon-button.vue'
import { useMedia } from './media.ts'
import NotePlace from './note-place.vue'
import PageTurner from './page-turner.vue'
import { radioKeys } from './radio-keys.ts'
import RefreshButton from './refresh-button.vue'
import SaveFoot from './save-foot.vue'
import SegmentsChoice from './segments-choice.vue'
import SettingsCard from './settings-card.vue'
import { useSpanWords } from './span-words.ts'
import { provideStillNotes } from './still-notes.ts'
import TextField from './text-field.ts'

const channelsEn = spoken(channelsWords, 'en')
const show = (render: () => VNode | VNode[]) => mounted({ render })
const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('a mark of a healthy state', () => {
  it('is a picture with a name where it stands alone', async () => {
    await show(() => h(CheckMark, { label: 'Healthy' }))
    await expect.element(page.getByRole('img', { name: 'Healthy' })).toBeVisible()
  })

  it('is hidden from screen readers beside its text', async () => {
    await show(() => h(CheckMark))
    const mark = document.querySelector('svg')!
    expect([mark.getAttribute('role'), mark.getAttribute('aria-label'), mark.getAttribute('aria-hidden')]).toEqual([
      null,
      null,
      'true',
    ])
  })
})

describe('a button without words', () => {
  it('has its name as its title unless it is given another', async () => {
    await show(() => [
      h(IconButton, { label: 'Close', icon: 'i-lucide-x' }),
      h(IconButton, { label: 'Copied', title: 'Copy' }, { default: () => h('i', { 'data-own': '' }) }),
    ])
    await expect.element(button('Close')).toHaveAttribute('title', 'Close')
    await expect.element(button('Close')).toHaveAttribute('type', 'button')
    await expect.element(button('Copied')).toHaveAttribute('title', 'Copy')
    expect(button('Copied').element().querySelector('[data-own]')).not.toBeNull()
  })

  it('that refreshes has its name and its title, and is pressed', async () => {
    let presses = 0
    await show(() => h(RefreshButton, { label: 'Refresh', onClick: () => (presses += 1) }))
    await expect.element(button('Refresh')).toHaveAttribute('title', 'Refresh')
    await button('Refresh').click()
    expect(presses).toBe(1)
  })
})

describe('a note of a fault', () => {
  it('announces only its title, and has what stands below it', async () => {
    await show(() => [
      h(FrameNotes),
      h(FaultBanner, { title: 'Down' }, { text: () => 'counts 5 s', below: () => h('p', 'below') }),
    ])
    await expect.element(page.getByRole('status')).toHaveTextContent('Down')
    await expect.element(page.getByText('counts 5 s')).toBeVisible()
    await expect.element(page.getByText('below')).toBeVisible()
  })

  it('has only its title where there is nothing more to say', async () => {
    await show(() => [h(FrameNotes), h(FaultBanner, { title: 'Down' })])
    await expect.element(page.getByRole('status')).toHaveTextContent('Down')
    expect(page.getByRole('status').element().parentElement?.children).toHaveLength(1)
  })
})

describe('notes about the page', () => {
  const Stack = defineComponent({
    props: { notes: { type: Number, required: true } },
    setup(props) {
      provideStillNotes()
      return () => [
        h('div', { 'data-stack': '' }, [h(NotePlace, { at: 'frame' })]),
        ...Array.from({ length: props.notes }, (_, index) => h(FaultBanner, { key: index, title: `Note ${index}` })),
      ]
    },
  })

  it('come on top each time that there is a first one', async () => {
    const notes = ref(0)
    await show(() => h(Stack, { notes: notes.value }))
    const order = () => document.querySelector<HTMLElement>('[data-stack] > div')!.style.order
    expect(Number(order())).toBe(0)
    notes.value = 1
    await expect.poll(order).toBe('-1')
    notes.value = 2
    await settled()
    expect(order()).toBe('-1')
    notes.value = 0
    await settled()
    notes.value = 1
    await expect.poll(order).toBe('-2')
  })
})

describe('a choice', () => {
  it('has its name, what it is about, and the language of each of its values', async () => {
    await show(() =>
      h(ChoiceGroup as Component, {
        label: 'Language',
        text: 'Of the page',
        choices: [
          { value: 'en', label: 'English', lang: 'en' },
          { value: 'zh', label: '中文', lang: 'zh' },
          { value: 'own', label: 'Own' },
        ],
        modelValue: 'en',
      }),
    )
    await expect.element(page.getByRole('radiogroup', { name: 'Language' })).toBeVisible()
    await expect.element(page.getByText('Of the page')).toBeVisible()
    await expect.element(page.getByRole('radio', { name: '中文' })).toHaveAttribute('lang', 'zh')
    await expect.element(page.getByRole('radio', { name: 'Own' })).not.toHaveAttribute('lang')
    await expect.element(page.getByRole('radio', { name: '中文' })).toHaveAttribute('aria-checked', 'false')
    await expect.element(page.getByRole('radio', { name: 'English' })).toHaveAttribute('aria-checked', 'true')
  })

  it.each([
    ['ArrowRight', {}, true],
    ['ArrowUp', {}, true],
    ['Tab', {}, false],
    ['Enter', {}, false],
    ['ArrowRight', { ctrlKey: true }, false],
    ['ArrowRight', { altKey: true }, false],
    ['ArrowRight', { metaKey: true }, false],
    ['ArrowRight', { shiftKey: true }, true],
  ])('uses the key %s with %o, so that the page does not scroll: %s', async (key, keys, used) => {
    await show(() =>
      h('div', { onKeydown: radioKeys }, [h('button', { role: 'radio' }, 'a'), h('button', { role: 'radio' }, 'b')]),
    )
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...keys })
    page.getByRole('radio', { name: 'a' }).element().dispatchEvent(event)
    expect(event.defaultPrevented).toBe(used)
    expect(document.activeElement?.textContent === 'b').toBe(used)
  })

  it('of segments has its name, its values in their order, and none that is chosen where none is', async () => {
    await show(() =>
      h(SegmentsChoice as Component, {
        label: 'Letter',
        choices: ['b', 'a'],
        chosen: null,
        nameOf: (each: string) => each.toUpperCase(),
      }),
    )
    const group = page.getByRole('group', { name: 'Letter' })
    const buttons = group.getByRole('button').elements()
    expect(buttons.map((each) => [each.textContent?.trim(), each.getAttribute('aria-pressed')])).toEqual([
      ['B', 'false'],
      ['A', 'false'],
    ])
  })
})

describe('parts of forms and tables', () => {
  it('the pages of a table are told with their number', async () => {
    await show(() => h(PageTurner, { pages: 4, modelValue: 2 }))
    const name = channelsEn.channels.page.replace('{page}', '2').replace('{pages}', '4')
    await expect.element(page.getByRole('status', { name })).toHaveAttribute('data-of', '4')
    await expect.element(button(channelsEn.channels.previous)).toHaveAttribute('aria-disabled', 'false')
    await expect.element(button(channelsEn.channels.next)).toHaveAttribute('aria-disabled', 'false')
  })

  it('the foot of a form waits while it saves, and says nothing of what was not saved', async () => {
    await show(() => h(SaveFoot, { label: 'Save', busy: true, blocked: false, saved: false, failure: null }))
    await expect.element(button('Save')).toBeDisabled()
    expect([page.getByRole('status').query(), page.getByRole('alert').query()]).toEqual([null, null])
  })

  it('a card has only its title where it has no lead', async () => {
    await show(() => h(SettingsCard, { name: 'one', title: 'Ports' }))
    await expect.element(page.getByRole('group', { name: 'Ports' })).toHaveTextContent('Ports')
  })

  it('takes the focus when it appears, but not from an open menu, which would close', async () => {
    const isShown = ref(true)
    const menu = ref('open')
    await show(() => [
      h('div', { role: 'menu', 'data-state': menu.value }, 'Twin'),
      isShown.value ? h(TextField as Component, { label: 'Name', modelValue: '', autofocus: '' }) : h('p'),
    ])
    await settled()
    expect(document.activeElement).toBe(document.body)
    isShown.value = false
    await nextTick()
    menu.value = 'closed'
    isShown.value = true
    await expect.element(page.getByRole('textbox')).toHaveFocus()
  })

  it.each([true, undefined])('a field of a code has letters of one width: %s', async (mono) => {
    await show(() => h(TextField, { label: 'Code', modelValue: 'a', ...(mono && { mono }) }))
    const { className } = page.getByRole('textbox', { name: 'Code' }).element()
    expect(className.includes('font-mono')).toBe(mono === true)
  })

  it('a field hands on what its input is told', async () => {
    const keys: string[] = []
    await show(() =>
      h(TextField as Component, {
        label: 'Code',
        modelValue: 'a',
        type: 'password',
        maxlength: 5,
        onKeydown: ({ key }: KeyboardEvent) => keys.push(key),
      }),
    )
    const input = page.getByLabelText('Code')
    await expect.element(input).toHaveAttribute('type', 'password')
    await expect.element(input).toHaveAttribute('maxlength', '5')
    input.element().dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true }))
    expect(keys).toEqual(['x'])
  })
})

it('lengths have all their parts, the rest of a time two of them, and digits are grouped', async () => {
  const Words = defineComponent({
    setup() {
      const { length, rest } = useSpanWords()
      return () => [length(90_061), rest(266_645), rest(0), length(86_400 * 1000)].map((each) => h('p', each))
    },
  })
  await mounted(Words)
  await expect
    .poll(() => [...document.querySelectorAll('#app p')].map((each) => each.textContent))
    .toEqual(['25 h 1 min 1 s', '3 d 2 h', '0 s', '1,000 d'])
})

it('a media query is left with its component', async () => {
  const list = new EventTarget()
  const told: string[] = []
  Object.assign(list, {
    matches: true,
    addEventListener: () => told.push('on'),
    removeEventListener: () => told.push('off'),
  })
  const { matchMedia } = window
  window.matchMedia = (query) => (query === '(width < 6px)' ? (list as MediaQueryList) : matchMedia.call(window, query))
  onTestFinished(() => {
    window.matchMedia = matchMedia
  })
  const isThere = ref(true)
  const Query = defineComponent({
    setup() {
      const holds = useMedia('(width < 6px)')
      return () => h('p', String(holds.value))
    },
  })
  await show(() => h('div', isThere.value ? [h(Query)] : []))
  await expect.element(page.getByText('true', { exact: true })).toBeVisible()
  expect(told).toEqual(['on'])
  isThere.value = false
  await nextTick()
  expect(told).toEqual(['on', 'off'])
})
