/** Scheme and origin of the app's page in the desktop window. */
export const appScheme = 'app'
/** Host of the page's addresses. */
export const appHost = 'sidestage'
/** Origin of the page. */
export const appOrigin = `${appScheme}://${appHost}`

/** Whether an address is our page or something of it, and nothing that only looks like it. */
export function isOurs(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === `${appScheme}:` && url.host === appHost && !url.username && !url.password
}
