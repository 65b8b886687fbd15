/** Tandem's sign. Its name stands beside it. */
export function TandemMark({ className }: { readonly className?: string | undefined }) {
  return (
    <svg className={className} viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#4f46e5" />
      <g fill="none" stroke="#fff" strokeWidth="2.6">
        <circle cx="10.5" cy="19.5" r="5" />
        <circle cx="21.5" cy="19.5" r="5" />
        <path d="M10.5 19.5 14 10h5.5M21.5 19.5 18 10" strokeWidth="2.2" strokeLinecap="round" />
      </g>
    </svg>
  );
}
