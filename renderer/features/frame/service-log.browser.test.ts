import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { h, ref } from 'vue'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, type MountOptions } from '../../testing/mounted.ts'
import ServiceLog from './service-log.vue'
import { spoken } from '../../format/languages.ts'
import { frameWords } from './words.ts'

const en = spoken(frameWords, 'en')

const { service: words } = en
const lines = [
  JSON.stringify({ time: began, level: 30, msg: 'begun', port: 1935 }),
  JSON.stringify({ time: began + 1000, level: 50, msg: 'port taken' }),
  'last words',
]
async function show(options: MountOptions = {}) {
  const open = ref(true)
  const on = await mounted(
    { render: () => h(ServiceLog, { open: open.value, 'onUpdate:open': (now: boolean) => (open.value = now) }) },
    { ...options, answers: { 'app.serviceLog': () => lines, ...options.answers } },
  )
  await expect.element(page.getByRole('dialog', { name: words.logTitle })).toBeVisible()
  return { ...on, open }
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const entry = (index: number) => page.getByRole('list', { name: words.logTitle }).getByRole('listitem').nth(index)

it('has time, text and details of each line, newest at the end, and marks what went wrong', async () => {
  await show()
  await expect.element(entry(0)).toMatchTextContent(/16:00:00.*begun.*port 1935/s)
  await expect.element(entry(1)).toMatchTextContent(/16:00:01.*port taken/s)
  await expect.element(entry(2)).toMatchTextContent('last words')
  expect([0, 1, 2].map((index) => entry(index).element().classList.contains('text-armt'))).toEqual([false, true, false])
})

it('begins at its end', async () => {
  await show({ answers: { 'app.serviceLog': () => Array.from({ length: 400 }, (_, index) => `line ${index}`) } })
  const list = page.getByRole('list', { name: words.logTitle })
  await expect
    .poll(() => {
      const { scrollHeight, scrollTop, clientHeight } = list.element()
      return scrollTop > 0 && scrollHeight - scrollTop - clientHeight < 2
    })
    .toBe(true)
})

it('is copied as it is, and not said to be after it was read again', async () => {
  const { client } = await show()
  await button(words.logCopy).click()
  await expect.element(button(en.word.copied)).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(lines.join('\n'))
  // Said for some seconds.
  await expect.element(button(words.logCopy)).toBeVisible()
  await button(words.logCopy).click()
  await expect.element(button(en.word.copied)).toBeVisible()
  client.answer({ 'app.serviceLog': () => ['new line'] })
  await button(en.word.refresh).click()
  await expect.element(entry(0)).toMatchTextContent('new line')
  await expect.element(button(words.logCopy)).toBeVisible()
})

it('says that it has no lines, and that it could not be read', async () => {
  const { client } = await show({ answers: { 'app.serviceLog': () => [] } })
  await expect.element(page.getByText(words.logEmpty)).toBeVisible()
  expect(button(words.logCopy).query()).toBeNull()
  client.answer({
    'app.serviceLog': () => {
      throw failed()
    },
  })
  await button(en.word.refresh).click()
  await expect.element(page.getByRole('alert')).toBeVisible()
  client.answer({ 'app.serviceLog': () => lines })
  await button(en.word.refresh).click()
  await expect.element(entry(0)).toBeVisible()
  expect(page.getByRole('alert').query()).toBeNull()
})

it('is read each time it is opened, and closes by its button', async () => {
  const { client, open } = await show()
  await button(en.word.close).click()
  expect(open.value).toBe(false)
  expect(client.inputs('app.serviceLog')).toHaveLength(1)
  open.value = true
  await expect.poll(() => client.inputs('app.serviceLog').length).toBe(2)
})

it('marks warnings as what went wrong, and has no time where a line has none', async () => {
  await show({
    answers: { 'app.serviceLog': () => [JSON.stringify({ time: began, level: 40, msg: 'slow' }), 'plain'] },
  })
  expect([0, 1].map((index) => entry(index).element().classList.contains('text-armt'))).toEqual([true, false])
  const times = [0, 1].map((index) => entry(index).element().querySelector('time')?.textContent)
  expect(times).toEqual(['16:00:00', ''])
})

it('says that the clipboard did not take it, until it is read again', async () => {
  const refused = vi
    .spyOn(navigator.clipboard, 'writeText')
    .mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  onTestFinished(() => refused.mockRestore())
  await show()
  await button(words.logCopy).click()
  await expect.element(page.getByRole('alert')).toHaveTextContent(en.word.notCopied)
  await expect.element(button(words.logCopy)).toBeVisible()
  await button(en.word.refresh).click()
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})

it('is not read before it is opened', async () => {
  const { client } = await mounted({ render: () => h(ServiceLog, { open: false }) })
  expect(client.inputs('app.serviceLog')).toEqual([])
})
