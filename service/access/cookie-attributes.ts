/** Attributes of a cookie for every path, as a proxy may add a prefix. `age` in s. */
export function cookieAttributes(age: number, isSecure: boolean, isFramed: boolean): string {
  // In frames of other sites a cookie is of that site alone, which browsers grant under TLS only.
  const site = isFramed && isSecure ? 'SameSite=None; Partitioned' : 'SameSite=Lax'
  return `Path=/; Max-Age=${age}; HttpOnly; ${site}${isSecure ? '; Secure' : ''}`
}
