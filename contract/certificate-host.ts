/** Whether a certificate with these names is for this host, as in URLs. */
export function isForHost({ names }: { readonly names: readonly string[] }, host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  return names.some((name) => {
    const own = name.toLowerCase()
    if (own === bare) return true
    return own.startsWith('*.') && bare.indexOf('.') > 0 && bare.slice(bare.indexOf('.')) === own.slice(1)
  })
}
