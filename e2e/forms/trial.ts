import type { Locator, Page } from 'playwright/test'
import { shownText } from '../../contract/web-link.ts'
import { spoken } from '../../renderer/format/languages.ts'
import { allWords } from '../../renderer/locales/messages.ts'
import { search, textFields, type Form, type Kind, type Outcome, type Stage } from './form.ts'

/** More than any text of the contract may have. */
const tooLong = 'q'.repeat(70_000)
const letters: Readonly<Record<Kind, string>> = {
  empty: '',
  long: tooLong,
  markup: '"><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}',
  // Written from the right, Chinese, a family of one letter, and marks that pile up.
  script: 'مرحبا 深夜 👩‍👩‍👧 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤a̕',
}
/** What a form says of something wrong. */
const faultSentence =
  '[data-slot=error], [role=alert], [role=status].text-armt, p.text-armt, .text-armt[role], p.fault, .fault:not(input)'

/** Keys of all texts, to find one that is shown instead of its text. */
export function readKeys(): ReadonlySet<string> {
  const keys = new Set<string>()
  const walk = (node: object, path: string): void => {
    for (const [key, value] of Object.entries(node)) {
      if (typeof value === 'object' && value !== null) walk(value as object, `${path}${key}.`)
      else if (path !== '') keys.add(path + key)
    }
  }
  walk(spoken(allWords, 'en'), '')
  return keys
}

/** What is wrong with the screen as it stands: nothing shown, a fault told, a key for a text. */
async function lookAround(page: Page, keys: ReadonlySet<string>, faults: readonly string[]): Promise<string[]> {
  const seen = await page.evaluate(() => ({
    main: document.querySelector('main')?.innerText.trim() ?? '',
    heading: document.querySelector('h1, h2') !== null,
    text: document.body.innerText,
  }))
  const wrong = faults.filter((fault) => seen.text.includes(fault)).map((fault) => `the page says “${fault}”`)
  if (seen.main === '') wrong.push('nothing is in main')
  if (!seen.heading) wrong.push('no heading')
  for (const [word] of seen.text.matchAll(/\b[a-z]\w*(?:\.\w+)+/gi))
    if (keys.has(word)) wrong.push(`a key for a text: ${word}`)
  return wrong
}

/** Enters a text into the fields of a form, past the bounds that the page itself sets for typing. */
async function enter(form: Locator, tried: Form, text: string): Promise<void> {
  for (const [name, value] of Object.entries(tried.given ?? {})) await form.locator(`input[name=${name}]`).fill(value)
  const fields = form.locator(tried.fields ?? textFields)
  await fields.first().waitFor()
  for (const field of await fields.all()) {
    if (Object.hasOwn(tried.given ?? {}, (await field.getAttribute('name')) ?? '')) continue
    if (tried.bounded !== true) await field.evaluate((node) => node.removeAttribute('maxlength'))
    await field.fill(text)
  }
}

/** The text is on the screen or in a field, whole or as a room shows it. */
const isShown = (page: Page, text: string): Promise<boolean> =>
  page.evaluate(
    (texts) =>
      texts.some((each) => document.body.innerText.includes(each)) ||
      [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].some(({ value }) =>
        texts.includes(value),
      ),
    [text, shownText(text)],
  )

/** Where the focus is in a dialog that has fields, when that is none of them; null when all is well. */
async function focusOf(page: Page): Promise<string | null> {
  const fields =
    ':is(input:not([type=hidden], [type=file]), textarea, select, [role=radio], [role=combobox], [role=switch], [role=checkbox])'
  const dialog = page.getByRole('dialog').last()
  if ((await dialog.count()) === 0 || (await dialog.locator(fields).locator('visible=true').count()) === 0) return null
  try {
    await dialog.locator(`${fields}:focus`).waitFor({ timeout: 5_000 })
    return null
  } catch {
    return `the focus is not on a field: ${await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120) ?? '')}`
  }
}

/** The page has drawn what it knows, and sent what it asks for. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))

/** What came of it, once nothing of the form and no call of the page is under way. */
async function outcome(
  stage: Stage,
  form: Locator,
  text: string,
  wanted: Outcome,
  closes: boolean,
): Promise<{ readonly now: readonly Outcome[]; readonly said: string }> {
  // What is done or shown before the answer may still be undone by it, and an answer that comes late would meet the next text.
  const open = stage.calls.open()
  if (open.length > 0) return { now: [], said: `not answered: ${open.join(', ')}` }
  const { page } = stage
  if ((await form.count()) === 0 || !(await form.isVisible())) {
    return { now: text === '' || (await isShown(page, text)) ? ['taken', 'sent'] : ['sent'], said: '' }
  }
  if ((await form.locator('.animate-spin:visible').count()) > 0) return { now: [], said: '' }
  const told = (
    await form
      .locator(faultSentence)
      .evaluateAll((nodes) => nodes.map((node) => (node.checkVisibility() ? (node.textContent ?? '').trim() : '')))
  ).filter((each) => each !== '')
  const now: Outcome[] = []
  if (told.length > 0) now.push('told')
  else if (wanted !== 'told' && !closes) {
    if (text !== '' && (await isShown(page, text))) now.push('taken')
    now.push('sent')
  }
  if (await form.locator('[type=submit][aria-disabled=true], [type=submit]:disabled').count()) now.push('held')
  return { now, said: told.join(' | ') }
}

/** Sends a form in one language with some kinds of text and names what went wrong. */
export async function tryForm(
  stage: Stage,
  tried: Form,
  kinds: readonly Kind[],
  look: {
    readonly keys: ReadonlySet<string>
    readonly faults: readonly string[]
    readonly isOurs: (sentence: string) => boolean
  },
): Promise<string[]> {
  const { page } = stage
  const name = `${tried.made[0]}${tried.as ? ` (${tried.as})` : ''}`
  const wrong: string[] = []
  const complain = (about: string, what: string): void => {
    wrong.push(`${name}, ${about}: ${what}`)
    // A run that is cut short has said so far what it found.
    console.error(wrong.at(-1))
  }
  let form = await tried.open(stage)
  await form.waitFor()
  for (const what of await lookAround(page, look.keys, look.faults)) complain('opened', what)
  const focus = await focusOf(page)
  if (focus !== null) complain('opened', focus)
  for (const kind of tried.comes ? kinds : []) {
    if ((await form.count()) === 0 || !(await form.isVisible())) {
      form = await tried.open(stage)
      await form.waitFor()
    }
    const wanted = tried.comes?.[kind] ?? 'told'
    const text = letters[kind]
    // A dialog that is done goes; a search in one stays.
    const closes = tried.comes !== search && (await stage.dialog.count()) > 0
    // A measure of the Room that was refused is told until it is put away: what is told next is of this one.
    for (const refusals of await page.locator('.refusals').all()) await refusals.getByRole('button').last().click()
    await enter(form, tried, text)
    if (tried.send) await tried.send(stage, form)
    else
      await form
        .locator('[type=submit]:visible')
        .or(page.locator('[role=dialog] [type=submit]:visible'))
        .first()
        .dispatchEvent('click')
    // What the page does upon it is under way, or was done.
    await drawn(page)
    let last = await outcome(stage, form, text, wanted, closes)
    const end = performance.now() + 60_000
    while (!last.now.includes(wanted) && performance.now() < end) {
      await drawn(page)
      last = await outcome(stage, form, text, wanted, closes)
    }
    if (!last.now.includes(wanted)) {
      complain(kind, `should be ${wanted}, was ${last.now.join('/') || 'nothing'} ${last.said.slice(0, 200)}`)
      // Waited for a minute in vain: the other texts of this form would only wait as long.
      break
    }
    if (wanted === 'told' && !look.isOurs(last.said.replaceAll(text, '')))
      complain(kind, `not a sentence of this language: ${last.said.slice(0, 200)}`)
    for (const what of await lookAround(page, look.keys, look.faults)) complain(kind, what)
  }
  if (await stage.dialog.isVisible()) {
    if (tried.leave) await stage.press(tried.leave, {}, stage.dialog)
    else await page.keyboard.press('Escape')
    await stage.dialog
      .waitFor({ state: 'detached', timeout: 60_000 })
      .catch(() => complain('Escape', 'the dialog stays'))
  }
  return wrong
}
