import { expect, test, type Page } from 'playwright/test'
import { startApp, type RunningApp } from '../app.ts'
import { inEveryLook } from '../looks.ts'
import { openPage } from '../page.ts'

let app: RunningApp
test.beforeAll(async () => {
  app = await startApp()
})
test.afterAll(async () => {
  await app.dispose()
})

/** Calls an operation from the API console, as a person does, and waits for code 200 and what the answer has. */
async function callFromConsole(
  page: Page,
  origin: string,
  path: string,
  values: Readonly<Record<string, string>>,
  has: string,
): Promise<void> {
  await page.goto(`${origin}#/console${path}`)
  for (const [name, value] of Object.entries(values)) {
    const field = page.getByLabel(name, { exact: true })
    if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(value)
    else await field.fill(value)
  }
  await page.getByRole('button', { name: /^Send / }).click()
  const answer = page.getByRole('complementary', { name: 'Answer' })
  await expect(answer).toContainText(has)
  await expect(answer.getByText('Done', { exact: true })).toBeVisible()
}

test('a message sent from the console is copied to the app, verified; played again it is a duplicate, changed it is forged', async ({
  page,
}) => {
  await openPage(page, app)
  const origin = page.url().replace(/#.*/, '')
  const copies = `${origin}#/settings/copies`
  await page.goto(copies)
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(page.getByText('Listening', { exact: true })).toBeVisible()
  await expect(page.getByLabel('Address for the service')).toHaveValue(/^http:\/\/127\.0\.0\.1:\d+\/copy$/)
  await page.getByRole('button', { name: 'Set address' }).click()
  await expect(page.getByText(/^Copies go to http:\/\/127\.0\.0\.1:\d+\/copy$/)).toBeVisible()
  await expect(page.getByText('Address tried out', { exact: true })).toBeVisible()

  for (const accid of ['ana', 'mei'])
    await callFromConsole(page, origin, '/user/create.action', { accid }, `"${accid}"`)
  await callFromConsole(
    page,
    origin,
    '/msg/sendMsg.action',
    { from: 'Ana', ope: '0', to: 'MEI', type: '0', body: '{"msg":"今晚 <b>九点</b>"}' },
    '"msgid"',
  )

  await page.goto(copies)
  const received = page.getByRole('listitem')
  const first = received.filter({ hasText: 'ana → mei · TEXT' }).filter({ hasText: 'Accepted' })
  await expect(first).toHaveCount(1)
  await expect(first).toContainText('verified')
  await expect(first).not.toContainText('unverified')
  await first.getByText('ana → mei · TEXT').click()
  await expect(first.getByText('今晚 <b>九点</b>', { exact: true })).toBeVisible()

  await first.getByRole('button', { name: /^Replay message/ }).click()
  await expect(received.filter({ hasText: 'Duplicate' })).toContainText('replayed here')
  await first.getByRole('button', { name: /^Tamper with message/ }).click()
  await expect(received.filter({ hasText: 'Forged, turned away' })).toContainText(
    'MD5 is missing or is not that of the body',
  )
  await page.getByRole('button', { name: 'Messages 2' }).click()
  await expect(received.filter({ hasText: 'Forged' })).toHaveCount(0)
  await page.getByRole('button', { name: /^All / }).click()
  await inEveryLook(page, 'copies', (language) =>
    expect(page.getByText(language === 'en' ? 'Duplicate' : '重复', { exact: true })).toBeVisible(),
  )

  await page.getByRole('button', { name: 'End copying' }).click()
  await expect(page.getByText('Copies go nowhere: no address is set.')).toBeVisible()
})
