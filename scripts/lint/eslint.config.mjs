import vue from 'eslint-plugin-vue'
import tseslint from 'typescript-eslint'

const noVoid = {
  selector: 'UnaryExpression[operator="void"]',
  message: 'void hides a promise that nobody hears: await it, or give it to inBackground.',
}

/** Vue components only: oxlint reads the scripts, this reads the templates. Rules that need types do not reach components: `scripts/dropped-promises.ts` has those. */
export default [
  { ignores: ['**/out/**', '**/node_modules/**'] },
  ...vue.configs['flat/recommended'].map((config) => ({ ...config, files: ['**/*.vue'] })),
  {
    files: ['**/*.vue'],
    languageOptions: { parserOptions: { parser: tseslint.parser, sourceType: 'module' } },
    rules: {
      'no-restricted-syntax': ['error', noVoid],
      'vue/no-restricted-syntax': ['error', noVoid],
      'vue/no-v-html': 'error',
      'vue/no-v-text': 'error',
      'vue/no-static-inline-styles': 'error',
      'vue/multi-word-component-names': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/html-indent': 'off',
      'vue/first-attribute-linebreak': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/attributes-order': 'off',
      'vue/require-default-prop': 'off',
      'no-restricted-properties': ['error', { property: 'innerHTML' }, { property: 'outerHTML' }],
    },
  },
]
