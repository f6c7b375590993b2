/** What a page that enters sends; undefined if it is no passphrase. */
export function passphraseOf(body: Buffer | undefined): string | undefined {
  try {
    const { passphrase } = JSON.parse(body?.toString('utf8') ?? '') as { readonly passphrase?: unknown }
    return typeof passphrase === 'string' ? passphrase : undefined
  } catch {
    return undefined
  }
}
