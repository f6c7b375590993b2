import type { Page } from 'playwright/test'

/** Notes everything that a page of an origin must not do (docs/checks.md#5-unsafe-content): ask with a dialog, leave its origin, break its policy, throw. */
export function watchTrouble(page: Page, origin: string): string[] {
  const trouble: string[] = []
  page.on('dialog', (dialog) => {
    trouble.push(`dialog ${dialog.message()}`)
    dialog.dismiss().catch((error: unknown) => trouble.push(`a dialog that stayed: ${String(error)}`))
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== origin && !['blob:', 'data:'].includes(url.protocol)) trouble.push(`request ${request.url()}`)
  })
  page.on('pageerror', (error) => trouble.push(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to|TrustedHTML/.test(message.text())) trouble.push(message.text())
  })
  return trouble
}

/** Kinds of nodes in a page of an origin, with the attributes that run something or lead somewhere. */
export const kindsOf = (page: Page, origin: string): Promise<string[]> =>
  page.evaluate((origin) => {
    const found = new Set<string>()
    for (const node of document.querySelectorAll('body, body *')) {
      found.add(node.localName)
      for (const name of node.getAttributeNames()) {
        const value = node.getAttribute(name) ?? ''
        const runs =
          name.startsWith('on') || name === 'srcdoc' || (name === 'style' && /url|position|expression/i.test(value))
        const leads = (name === 'href' || name === 'src') && /^[a-z-]+:/i.test(value) && !value.startsWith(origin)
        // A player's own picture: whether it is there yet is a matter of time, and its number is new each time.
        const plays = node.localName === 'video' && name === 'src' && value.startsWith(`blob:${origin}/`)
        if (runs || (leads && !plays)) found.add(`${node.localName} ${name} ${value}`)
      }
    }
    return [...found].sort()
  }, origin)
