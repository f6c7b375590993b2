/** URL scheme of the app's page in the desktop window. */
export const appScheme = 'app'
/** Host of the page's URLs. */
const appHost = 'sidestage'
/** Origin of the page. */
export const appOrigin = `${appScheme}://${appHost}`

/** Whether a URL has exactly the app's origin. */
export function isOurs(address: string): boolean {
  if (!URL.canParse(address)) return false
  const url = new URL(address)
  return url.protocol === `${appScheme}:` && url.host === appHost && !url.username && !url.password
}
