import { unzipSync, strFromU8 } from 'fflate'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { SupportBundle } from '../../../contract/rpc/index.ts'
import { failed } from '../../testing/memory-client.ts'
import { began, mounted, starting } from '../../testing/mounted.ts'
import SupportPanel from './support-panel.vue'
import { spoken } from '../../format/languages.ts'
import { supportBundleWords } from './words-bundle.ts'

const supportBundleEn = spoken(supportBundleWords, 'en')

const { supportBundle: words } = supportBundleEn
const bundle: SupportBundle = {
  made: began,
  name: 'sidestage-support',
  parts: [
    { about: 'app', file: 'app.json', text: '{"version":"0.1.0"}', removed: 0, cut: false },
    { about: 'serviceLog', file: 'service.log', text: 'a line', removed: 3, cut: true },
    { about: 'obs', file: 'obs.json', text: '', removed: 0, cut: false },
  ],
}
const button = (name: string) => page.getByRole('button', { name, exact: true })
const parts = () => page.getByRole('region', { name: words.parts, exact: true })
const gathered = async (): Promise<void> => {
  await mounted(SupportPanel, { answers: { 'support.bundle': () => bundle } })
  await button(words.gather).click()
}
/** What is handed to the browser as a download, instead of it. */
const downloads = (): { readonly name: string; readonly content: Blob }[] => {
  const found: { name: string; content: Blob }[] = []
  const contents = new Map<string, Blob>()
  vi.spyOn(URL, 'createObjectURL').mockImplementation((content) => {
    const url = `blob:${contents.size}`
    contents.set(url, content as Blob)
    return url
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    found.push({ name: this.download, content: contents.get(this.href)! })
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return found
}

describe('the support bundle', () => {
  it('says what goes in and what never does before anything is gathered', async () => {
    const { client } = await mounted(SupportPanel)
    await expect.element(page.getByText(words.about.serviceLog)).toBeVisible()
    await expect.element(page.getByText(words.never.secrets)).toBeVisible()
    expect(client.inputs('support.bundle')).toEqual([])
  })

  it('shows every part to be read, with what was taken out and what is cut', async () => {
    await gathered()
    await expect
      .element(
        parts()
          .getByText(/3 texts taken out/)
          .first(),
      )
      .toBeVisible()
    await expect.element(parts().getByText(words.cut)).toBeVisible()
    await expect.element(parts().getByText(words.empty)).toBeVisible()
    expect(parts().getByText('a line').query()).toBeNull()
    await parts()
      .getByRole('button', { name: /service\.log/ })
      .click()
    await expect.element(parts().getByText('a line')).toBeVisible()
    await parts()
      .getByRole('button', { name: /app\.json/ })
      .click()
    expect(parts().getByText('a line').query()).toBeNull()
  })

  it('saves exactly what is shown, with a file that says what it is', async () => {
    const files = downloads()
    await gathered()
    await button(words.save).click()
    await expect.poll(() => files.map(({ name }) => name)).toEqual(['sidestage-support.zip'])
    const read = unzipSync(new Uint8Array(await files[0]!.content.arrayBuffer()))
    expect(Object.keys(read).toSorted()).toEqual(['README.txt', 'app.json', 'obs.json', 'service.log'])
    expect(strFromU8(read['service.log']!)).toBe('a line')
    expect(strFromU8(read['README.txt']!)).toContain(words.never.push)
    await expect.element(page.getByText(words.saved.replace('{name}', 'sidestage-support'))).toBeVisible()
  })

  it('says why it could not be gathered, and can be tried again', async () => {
    const { client } = await mounted(SupportPanel, {
      answers: {
        'support.bundle': () => {
          throw failed()
        },
      },
    })
    await button(words.gather).click()
    await expect.element(page.getByRole('alert')).toBeVisible()
    client.answer({ 'support.bundle': () => bundle })
    await button(words.gather).click()
    await expect.element(parts()).toBeVisible()
    expect(page.getByRole('alert').query()).toBeNull()
  })

  it('names every part before it is gathered, and what stays away before and after', async () => {
    await mounted(SupportPanel, { answers: { 'support.bundle': () => bundle } })
    for (const about of Object.values(words.about)) await expect.element(page.getByText(about)).toBeVisible()
    await button(words.gather).click()
    await expect.element(parts()).toBeVisible()
    for (const never of Object.values(words.never)) await expect.element(page.getByText(never)).toBeVisible()
    await expect.element(page.getByText(words.names)).toBeVisible()
    expect(page.getByText(words.goesIn).query()).toBeNull()
    expect(button(words.gather).query()).toBeNull()
  })

  it('says how many parts there are, how large they are, when they were gathered and what was taken out', async () => {
    await gathered()
    const sum = parts().getByRole('status')
    await expect.element(sum).toMatchTextContent(/^3 parts, 25 B, gathered at .*16:00/)
    await expect.element(sum).toMatchTextContent('3 texts taken out')
  })

  it('says of each part what it is, its size, and only where something was taken out or cut', async () => {
    await gathered()
    const row = (file: string) => parts().getByRole('button', { name: starting(file) })
    await expect.element(row('app.json')).toMatchTextContent(words.about.app)
    await expect.element(row('app.json')).toMatchTextContent('19 B')
    await expect.element(row('app.json')).not.toMatchTextContent(/taken out/)
    await expect.element(row('app.json')).not.toMatchTextContent(words.cut)
    await expect.element(row('service.log')).toMatchTextContent('3 texts taken out')
    await expect.element(row('service.log')).toMatchTextContent(words.cut)
    await expect.element(row('service.log')).toMatchTextContent('6 B')
  })

  it('opens one part at a time, closes it by a second press, and has nothing to show of an empty one', async () => {
    await gathered()
    const row = (file: string) => parts().getByRole('button', { name: starting(file) })
    await expect.element(row('service.log')).toHaveAttribute('aria-expanded', 'false')
    await row('service.log').click()
    await expect.element(row('service.log')).toHaveAttribute('aria-expanded', 'true')
    await expect.element(page.getByRole('region', { name: 'service.log' })).toHaveAttribute('tabindex', '0')
    await row('service.log').click()
    await expect.element(row('service.log')).toHaveAttribute('aria-expanded', 'false')
    expect(page.getByText('a line').query()).toBeNull()
    await row('obs.json').click()
    await expect.element(row('obs.json')).toHaveAttribute('aria-expanded', 'true')
    expect(page.getByRole('region', { name: 'obs.json' }).query()).toBeNull()
  })

  it('has a first file with the time, each part and what stays away', async () => {
    const files = downloads()
    await gathered()
    await button(words.save).click()
    await expect.poll(() => files.length).toBe(1)
    const read = unzipSync(new Uint8Array(await files[0]!.content.arrayBuffer()))
    expect(strFromU8(read['README.txt']!).split('\n')).toEqual([
      words.readMe.replace('{time}', new Date(began).toISOString()),
      '',
      `app.json: ${words.about.app}`,
      `service.log: ${words.about.serviceLog}`,
      `obs.json: ${words.about.obs}`,
      '',
      `${words.stays}:`,
      ...Object.values(words.never).map((each) => `- ${each}`),
      '',
      words.names,
      '',
    ])
  })

  it('is not saved while it is gathered anew, and then says no more that the one before was saved', async () => {
    const files = downloads()
    const { client } = await mounted(SupportPanel, { answers: { 'support.bundle': () => bundle } })
    await button(words.gather).click()
    await expect.element(button(words.save)).toHaveAttribute('aria-disabled', 'false')
    await button(words.save).click()
    const saved = page.getByText(words.saved.replace('{name}', 'sidestage-support'))
    await expect.element(saved).toBeVisible()
    const again = Promise.withResolvers<SupportBundle>()
    client.answer({ 'support.bundle': () => again.promise })
    await button(words.again).click()
    await expect.element(saved).not.toBeInTheDocument()
    await expect.element(button(words.save)).toHaveAttribute('aria-disabled', 'true')
    await button(words.save).click({ force: true })
    again.resolve({ ...bundle, parts: bundle.parts.slice(0, 1) })
    await expect.element(parts().getByRole('status')).toMatchTextContent(/^1 part,/)
    await expect.element(button(words.save)).toHaveAttribute('aria-disabled', 'false')
    expect(files.length).toBe(1)
  })

  it('is gathered once, however often it is pressed', async () => {
    const answer = Promise.withResolvers<SupportBundle>()
    const { client } = await mounted(SupportPanel, { answers: { 'support.bundle': () => answer.promise } })
    const gather = button(words.gather).element() as HTMLButtonElement
    gather.click()
    gather.click()
    answer.resolve(bundle)
    await expect.element(parts()).toBeVisible()
    expect(client.inputs('support.bundle').length).toBe(1)
  })
})
