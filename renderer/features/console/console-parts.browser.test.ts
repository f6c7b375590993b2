import { createPinia, setActivePinia } from 'pinia'
import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { h, ref } from 'vue'
import { operations } from '../../../contract/operations/index.ts'
import type { ApiCall } from '../../../contract/rpc/index.ts'
import { spoken } from '../../format/languages.ts'
import { mounted, starting } from '../../testing/mounted.ts'
import { frameWords } from '../frame/words.ts'
import { groupsOf, type FormValues } from './api-console.ts'
import { useConsoleCalls } from './console-calls.ts'
import OperationList from './operation-list.vue'
import SavedExamples from './saved-examples.vue'
import SentRequest from './sent-request.vue'
import { consoleWords } from './words.ts'

const { console: words } = spoken(consoleWords, 'en')
const en = spoken(frameWords, 'en')
const stats = operations.find(({ path }) => path === '/app/channelstats')!
const other = operations.find(({ path }) => path === '/app/channellist')!
const call: ApiCall = {
  path: stats.path,
  url: '',
  at: 0,
  milliseconds: 1,
  headers: [
    { name: 'AppKey', value: '9a41…' },
    { name: 'CheckSum', value: 'c07d…' },
  ],
  body: '{"cid":"c1"}',
  curl: 'curl -X POST',
  status: 200,
  code: 200,
  answer: '{}',
  fault: null,
  cut: false,
}

describe('what was sent', () => {
  const tab = (name: keyof typeof words.parts) => page.getByRole('tab', { name: words.parts[name] })
  const copy = (name: keyof typeof words.parts) =>
    page.getByRole('button', { name: words.copy.replace('{part}', words.parts[name]) })

  it('has nothing to copy before the first call', async () => {
    await mounted(SentRequest, { props: { call: null } })
    await expect.element(page.getByText(words.before)).toBeVisible()
    expect(page.getByRole('button').query()).toBeNull()
  })

  it('begins with the headers, and says of the checksum alone who made it', async () => {
    await mounted(SentRequest, { props: { call } })
    await expect.element(tab('headers')).toHaveAttribute('aria-selected', 'true')
    const values = [...document.querySelectorAll('dd')].map(({ textContent }) => textContent?.trim())
    expect(values).toEqual(['9a41…', `c07d…${words.signed}`])
    await expect.element(page.getByRole('tabpanel')).toHaveAccessibleName(words.parts.headers)
  })

  it('is gone through with the arrow keys, round the ends, and is one stop of the Tab key', async () => {
    await mounted(SentRequest, { props: { call } })
    await tab('headers').click()
    await userEvent.keyboard('{ArrowLeft}')
    await expect.element(tab('curl')).toHaveAttribute('aria-selected', 'true')
    await expect.element(page.getByText(words.curlNote)).toBeVisible()
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(tab('headers')).toHaveAttribute('aria-selected', 'true')
    await userEvent.keyboard('{ArrowRight}')
    await expect.element(tab('body')).toHaveAttribute('aria-selected', 'true')
    const stops = page
      .getByRole('tab')
      .elements()
      .map((each) => each.getAttribute('tabindex'))
    expect(stops).toEqual(['-1', '0', '-1'])
    expect(page.getByText(words.curlNote).query()).toBeNull()
  })

  it.each([
    ['headers', 'AppKey: 9a41…\nCheckSum: c07d…'],
    ['body', '{"cid":"c1"}'],
    ['curl', 'curl -X POST'],
  ] as const)('is copied as it stands: %s', async (name, text) => {
    await mounted(SentRequest, { props: { call } })
    await tab(name).click()
    await copy(name).click()
    await expect.element(page.getByRole('button', { name: en.word.copied })).toBeVisible()
    expect(await navigator.clipboard.readText()).toBe(text)
    page.getByRole('button', { name: en.word.copied }).element().dispatchEvent(new FocusEvent('blur'))
    await expect.element(copy(name)).toBeVisible()
  })
})

describe('saved examples of an operation', () => {
  const place = 'sidestage.console.examples'
  const show = async (operation = stats, kept: unknown = []) => {
    const memory = new Map([[place, JSON.stringify(kept)]])
    const used: FormValues[] = []
    await mounted(SavedExamples, {
      memory,
      props: { operation, values: { cid: 'c1' }, onUse: (values: FormValues) => used.push(values) },
    })
    return { used, kept: () => JSON.parse(memory.get(place) ?? 'null') as unknown }
  }
  const name = () => page.getByRole('textbox', { name: words.exampleName })
  const save = () => page.getByRole('button', { name: words.save })
  const first = { name: 'first', path: stats.path, values: { cid: 'c9' } }
  const far = { name: 'far', path: other.path, values: { records: '5' } }

  it('are those of the operation, and used with their values', async () => {
    const { used } = await show(stats, [first, far])
    expect(page.getByRole('listitem').elements()).toHaveLength(1)
    await page.getByRole('button', { name: words.use.replace('{name}', 'first') }).click()
    expect(used).toEqual([{ cid: 'c9' }])
  })

  it('are kept under a trimmed name, with Enter too, which is emptied then', async () => {
    const { kept } = await show(stats, [far])
    await name().fill('  mine ')
    await userEvent.keyboard('{Enter}')
    await expect.element(name()).toHaveValue('')
    expect(kept()).toEqual([{ name: 'mine', path: stats.path, values: { cid: 'c1' } }, far])
    await expect.element(page.getByRole('button', { name: words.use.replace('{name}', 'mine') })).toBeVisible()
  })

  it('are not kept without a name', async () => {
    const { kept } = await show()
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    await name().fill('   ')
    await userEvent.keyboard('{Enter}')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'true')
    expect(kept()).toEqual([])
    await name().fill('x')
    await expect.element(save()).toHaveAttribute('aria-disabled', 'false')
  })

  it('of another operation stay where one of the same name is deleted', async () => {
    const namesake = { ...far, name: 'first' }
    const { kept } = await show(stats, [first, namesake])
    await page.getByRole('button', { name: words.forget.replace('{name}', 'first') }).click()
    await expect.element(page.getByText(words.examplesEmpty)).toBeVisible()
    expect(kept()).toEqual([namesake])
  })

  it('are deleted one by one, those of other operations stay', async () => {
    const { kept } = await show(stats, [first, far])
    await page.getByRole('button', { name: words.forget.replace('{name}', 'first') }).click()
    await expect.element(page.getByText(words.examplesEmpty)).toBeVisible()
    expect(kept()).toEqual([far])
  })
})

describe('the list of operations', () => {
  const groups = groupsOf(true)
  const show = async (first: string | null = null) => {
    const chosen = ref(first)
    const part = { render: () => h(OperationList, { groups, chosen: chosen.value, note: 'a note' }) }
    return { ...(await mounted(part)), chosen }
  }
  const group = (name: keyof typeof words.groups) => page.getByRole('button', { name: starting(words.groups[name]) })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const search = () => page.getByRole('searchbox')

  it('has its groups closed, with the number of operations in each', async () => {
    await show()
    const [live] = groups
    await expect.element(group('live')).toHaveAttribute('aria-expanded', 'false')
    await expect.element(group('live')).toHaveTextContent(`${words.groups.live}${live!.operations.length}`)
    expect(page.getByRole('link').elements()).toHaveLength(0)
    await expect.element(page.getByText('a note')).toBeVisible()
  })

  it('opens and closes a group, and leaves the others', async () => {
    await show()
    await group('live').click()
    await group('teams').click()
    await expect.element(link('channelstats')).toBeVisible()
    await group('live').click()
    await expect.element(link('channelstats')).not.toBeInTheDocument()
    await expect.element(group('teams')).toHaveAttribute('aria-expanded', 'true')
  })

  it('opens the group of the chosen operation, and marks it', async () => {
    const { chosen } = await show(stats.path)
    await expect.element(link('channelstats')).toHaveAttribute('aria-current', 'page')
    await expect.element(link('channelstats')).toHaveAttribute('href', `/console${stats.path}`)
    await expect.element(link('channellist')).not.toHaveAttribute('aria-current')
    chosen.value = '/user/create.action'
    await expect.element(group('accounts')).toHaveAttribute('aria-expanded', 'true')
    await expect.element(group('live')).toHaveAttribute('aria-expanded', 'true')
  })

  it('shows what is found in groups that are closed, and closes them again after the search', async () => {
    await show()
    await search().fill('channelstats')
    await expect.element(link('channelstats')).toBeVisible()
    expect(group('teams').query()).toBeNull()
    await search().fill(' ')
    await expect.element(link('channelstats')).not.toBeInTheDocument()
    await expect.element(group('teams')).toBeVisible()
  })
})

describe('the calls of the console', () => {
  it('are kept newest first, fifty of them, each with an id of its own', () => {
    setActivePinia(createPinia())
    const calls = useConsoleCalls()
    for (let index = 0; index < 52; index++) calls.note({ ...call, at: index }, { cid: String(index) })
    expect([calls.past.length, calls.past[0]?.call.at, calls.past.at(-1)?.call.at]).toEqual([50, 51, 2])
    expect(calls.past[0]?.values).toEqual({ cid: '51' })
    expect(new Set(calls.past.map(({ id }) => id)).size).toBe(50)
  })
})
