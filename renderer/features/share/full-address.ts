/** Names of hosts without a scheme are of https. */
export const fullAddress = (text: string): string =>
  text.includes('://') || !/[.:]/.test(text) ? text : `https://${text}`
